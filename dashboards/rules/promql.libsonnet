// How expressions are written down: PromQL in which %(name)s stands for what the configuration says.
local fill = (import '../texts.libsonnet').fill;
local trimmed = (import '../texts.libsonnet').trimmed;

{
  // `more`: further names, such as the thresholds of one alert.
  query(config, text, more={})::
    local filled = fill(text, $.names(config) + more);
    // an empty selector leaves `{state="down", }` and `{}` behind
    // (with a newline at the end YAML shows it as it is, in lines)
    std.strReplace(std.strReplace(trimmed(filled), ', }', '}'), '{}', '') + '\n',

  names(config):: config {
    c: config.clusterLabel,
    s: config.selector,
  },

  rule(config, name, text, more={}):: {
    record: fill(name, $.names(config) + more),
    expr: $.query(config, text, more),
  },
}
