// { path in the repository: text }, see generate.
local mixin = import 'mixin.libsonnet';

local json(value) = std.manifestJsonEx(value, ' ') + '\n';
local yaml(value) =
  '# Made by dashboards/generate.\n' + std.manifestYamlDoc(value, indent_array_in_object=false) + '\n';

// Grafana asks for the data source when a dashboard is imported.
local imported(board) = board {
  __inputs: [{
    name: 'DS_PROMETHEUS',
    label: 'Prometheus',
    type: 'datasource',
    pluginId: 'prometheus',
    pluginName: 'Prometheus',
  }],
};

{
  ['dashboards/grafana/' + file]: json(mixin.grafanaDashboards[file])
  for file in std.objectFields(mixin.grafanaDashboards)
} +
{
  ['dashboards/import/' + file]: json(imported(mixin.grafanaDashboards[file]))
  for file in std.objectFields(mixin.grafanaDashboards)
} +
{
  'deploy/prometheus/slurmscope.rules.yml': yaml(mixin.prometheusRules),
  'deploy/prometheus/slurmscope.alerts.yml': yaml(mixin.prometheusAlerts),
  'deploy/prometheus/vpenso.rules.yml': yaml(mixin.vpensoRules),
}
