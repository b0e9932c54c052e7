// { path in the repository: text }, see generate.
local mixin = import 'mixin.libsonnet';

// As std.manifestYamlDoc, which reads each text one character at a time. Texts of several lines are shown as they are.
local yaml(value, indent) =
  local lines(each, values) = std.join('\n' + indent, std.map(each, values));
  if std.isString(value) && std.endsWith(value, '\n') then
    '|\n' + indent + std.strReplace(std.substr(value, 0, std.length(value) - 1), '\n', '\n' + indent)
  else if std.isObject(value) && value != {} then
    lines(
      function(name)
        local of = value[name];
        '"' + name + '":' + (
          if std.isObject(of) then '\n' + indent + '  ' + yaml(of, indent + '  ')
          else if std.isArray(of) then '\n' + indent + yaml(of, indent)
          else ' ' + yaml(of, indent + '  ')
        ),
      std.objectFields(value)
    )
  else if std.isArray(value) && value != [] then
    lines(function(one) '- ' + yaml(one, indent + '  '), value)
  else
    // a text is quoted in JSON if it is part of something
    local json = std.toString([value]);
    std.substr(json, 1, std.length(json) - 2);

// An object's fields are evaluated each time that they are read; those of JSON are there.
local file(value) = '# Made by dashboards/generate.\n' + yaml(std.parseJson(std.toString(value)), '') + '\n';

{
  'deploy/prometheus/slurmscope.rules.yml': file(mixin.prometheusRules),
  'deploy/prometheus/slurmscope.alerts.yml': file(mixin.prometheusAlerts),
  'deploy/prometheus/vpenso.rules.yml': file(mixin.vpensoRules),
  'deploy/prometheus/old-names.rules.yml': file(mixin.oldNamesRules),
}
