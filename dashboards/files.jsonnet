// { path in the repository: text }, see generate.
local mixin = import 'mixin.libsonnet';

// An object's fields are evaluated each time that they are read, and manifestYamlDoc reads them often; those of JSON are there.
local yaml(value) =
  '# Made by dashboards/generate.\n' + std.manifestYamlDoc(std.parseJson(std.toString(value)), indent_array_in_object=false) + '\n';

{
  'deploy/prometheus/slurmscope.rules.yml': yaml(mixin.prometheusRules),
  'deploy/prometheus/slurmscope.alerts.yml': yaml(mixin.prometheusAlerts),
  'deploy/prometheus/vpenso.rules.yml': yaml(mixin.vpensoRules),
  'deploy/prometheus/old-names.rules.yml': yaml(mixin.oldNamesRules),
}
