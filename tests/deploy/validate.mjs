// Kubernetes' and the Prometheus operator's own schemas: what is required, enumerations, patterns, formats.
//   node validate.mjs FILE...      each a document in JSON; prints "FILE: what is wrong"
import { readFileSync } from "node:fs";
for (const file of process.argv.slice(2)) {
  const document = JSON.parse(readFileSync(file));
  const from = { "monitoring.coreos.com/v1": "@kubernetes-models/prometheus-operator" }[document.apiVersion] ?? "kubernetes-models";
  if (document.apiVersion.startsWith("slinky.slurm.net/")) continue;
  try {
    const { [document.kind]: Model } = await import(`${from}/${document.apiVersion}/${document.kind}`);
    new Model(document).validate();
  } catch (error) {
    console.log(`${file}: ${error.message}`);
  }
}
