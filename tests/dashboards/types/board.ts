// A dashboard as it is in JSON, by Grafana's own types. `@grafana/schema` is that of one Grafana, and `prometheus` has
// its queries: check.mjs says which. What they leave open (`unknown`) is closed here, so that an unknown member is an error.
import type * as grafana from "@grafana/schema";
import type * as bargauge from "@grafana/schema/dist/esm/raw/composable/bargauge/panelcfg/x/BarGaugePanelCfg_types.gen";
import type * as gauge from "@grafana/schema/dist/esm/raw/composable/gauge/panelcfg/x/GaugePanelCfg_types.gen";
import type * as heatmap from "@grafana/schema/dist/esm/raw/composable/heatmap/panelcfg/x/HeatmapPanelCfg_types.gen";
import type * as stat from "@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen";
import type * as timeline from "@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen";
import type * as table from "@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen";
import type * as text from "@grafana/schema/dist/esm/raw/composable/text/panelcfg/x/TextPanelCfg_types.gen";
import type * as timeseries from "@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen";
import type { defaultDataquery } from "prometheus";

// In JSON an enumeration's member is its value.
type Json<T> = T extends string ? `${T}` : T extends object ? { [K in keyof T]: Json<T[K]> } : T;
type Replace<T, New> = Omit<T, keyof New> & New;
type None = Record<string, never>;

// Panels: [their options, what else they say of a field]. A plugin has defaults for what is left out at the top of either.
interface Plugins {
  bargauge: [bargauge.Options, None];
  gauge: [gauge.Options, None];
  heatmap: [heatmap.Options, heatmap.FieldConfig];
  stat: [stat.Options, None];
  "state-timeline": [timeline.Options, timeline.FieldConfig];
  table: [table.Options, table.FieldConfig];
  text: [text.Options, None];
  timeseries: [timeseries.Options, timeseries.FieldConfig];
}

// These are in @grafana/data and @grafana/prometheus, which come with all of Grafana's front end.
type Link = { title: string; url: string; targetBlank?: boolean };
type Matchers = { byName: string; byRegexp: string; byType: string; byFrameRefID: string };
type Transformations = {
  merge: None;
  organize: Partial<{ excludeByName: Record<string, boolean>; indexByName: Record<string, number>; renameByName: Record<string, string> }>;
};
type VariableQuery = { query: string; refId: string; qryType: number };
type OfAnnotation = Partial<Record<"expr" | "step" | "titleFormat" | "textFormat" | "tagKeys", string>> & { useValueForTime?: boolean };

type Query = Omit<ReturnType<typeof defaultDataquery>, "_implementsDataqueryVariant">;
type Source = { type: string; uid: string };
type Target = Replace<Query, { datasource: Source; refId: string }>;

type Field<Custom> = Replace<grafana.FieldConfig, { links?: Link[]; custom?: Custom }>;
type Properties<Custom> = Omit<Field<Custom>, "custom"> & { [K in keyof Custom & string as `custom.${K}`]: Custom[K] };
type OneOf<Values, Id extends string, Value extends string> = {
  [K in keyof Values]-?: { [I in Id]: K } & { [V in Value]: Exclude<Values[K], undefined> };
}[keyof Values];
type Fields<Custom> = {
  defaults: Field<Custom>;
  overrides: { matcher: OneOf<Matchers, "id", "options">; properties: OneOf<Properties<Custom>, "id", "value">[] }[];
};

type PanelOf<Type extends keyof Plugins> = Replace<grafana.Panel, {
  type: Type;
  options: Partial<Plugins[Type][0]>;
  fieldConfig: Fields<Partial<Plugins[Type][1]>>;
  targets?: Target[];
  transformations?: Replace<grafana.DataTransformerConfig, OneOf<Transformations, "id", "options">>[];
}>;
type Panel = { [Type in keyof Plugins]: PanelOf<Type> }[keyof Plugins];
type Row = Replace<grafana.RowPanel, { panels: Panel[] }>;
type Variable = Replace<grafana.VariableModel, { query: string | VariableQuery; current?: grafana.VariableOption | None; definition?: string }>;
type Annotation = Replace<grafana.AnnotationQuery, { target: Omit<Target, "datasource"> }> & OfAnnotation;

export type Board = Json<Replace<grafana.Dashboard, {
  panels: (Panel | Row)[];
  annotations: { list: Annotation[] };
  templating: { list: Variable[] };
}>>;

// What Grafana exports "for sharing externally".
type Named<Members extends string> = Record<Members | "name", string>[];
export type Imported = Board & {
  __inputs: Named<"label" | "description" | "type" | "pluginId" | "pluginName">;
  __requires: Named<"type" | "id" | "version">;
};
