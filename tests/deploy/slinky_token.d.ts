// What Slinky's operator reads of a Token (slinky.slurm.net/v1beta1): 1.0 wants jwtHs256KeyRef, later ones take jwtKeyRef, too.
import { IIoK8sApimachineryPkgApisMetaV1ObjectMeta } from "@kubernetes-models/apimachinery/apis/meta/v1/ObjectMeta";
type Key = { name: string; key: string; optional?: boolean };
export interface IToken {
  apiVersion: "slinky.slurm.net/v1beta1";
  kind: "Token";
  metadata: IIoK8sApimachineryPkgApisMetaV1ObjectMeta;
  spec: { username: string; lifetime?: string; refresh?: boolean; secretRef?: Key } & ({ jwtHs256KeyRef: Key } | { jwtKeyRef: Key });
}
