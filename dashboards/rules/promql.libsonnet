// How expressions are written down: PromQL in which %(name)s stands for what the configuration says.

// text % names. std.format reads a text one character at a time, so it gets the numbers alone.
local fill(text, names) =
  local marked = std.strReplace(text, '%%', '\u0001'), parts = std.split(marked, '%');
  local filled(before, i) =
    local named = std.splitLimit(parts[i], ')', 1), kind = named[1][0], name = std.lstripChars(named[0], '(');
    std.strReplace(before, '%(' + name + ')' + kind, if kind == 's' then '' + names[name] else std.format('%' + kind, names[name]));
  std.strReplace(std.foldl(filled, std.range(1, std.length(parts) - 1), marked), '\u0001', '%');

{
  // `more`: further names, such as the thresholds of one alert.
  query(config, text, more={})::
    local filled = fill(text, $.names(config) + more);
    // an empty selector leaves `{state="down", }` and `{}` behind
    // (with a newline at the end YAML shows it as it is, in lines)
    std.strReplace(std.strReplace(std.rstripChars(filled, '\n'), ', }', '}'), '{}', '') + '\n',

  names(config):: config {
    c: config.clusterLabel,
    s: config.selector,
  },

  rule(config, name, text, more={}):: {
    record: fill(name, $.names(config) + more),
    expr: $.query(config, text, more),
  },
}
