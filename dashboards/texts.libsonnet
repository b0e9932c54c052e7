// For boards, rules and alerts in place of % and std.rstripChars. These look at one character of a text at a time, and
// take twenty times as long.
local rest(text) = std.substr(text, 1, std.length(text));

{
  // text % values, for codes of one letter, such as %s and %(name)s.
  fill(text, values)::
    local parts = std.splitLimit(std.strReplace(text, '%%', '\u0001'), '%', -1);
    local list = if std.isArray(values) then values else [values];
    // A code and what follows it.
    local filled(part, value) =
      if part[0] == 's' then value + rest(part)
      else if part[0] == '(' then
        local named = std.splitLimit(rest(part), ')', 1);
        filled(named[1], values[named[0]])
      else if part[0] == 'd' && std.floor(value) == value then value + rest(part)
      else std.format('%' + part[0], [value]) + rest(part);
    local all = [parts[0]] + std.makeArray(std.length(parts) - 1, function(i) filled(parts[i + 1], list[i]));
    if std.length(list) >= std.length(parts) && std.isArray(values) then error 'too many values for ' + text
    else std.strReplace(std.join('', all), '\u0001', '%'),

  // Without newlines at the end, as std.rstripChars(text, '\n').
  trimmed(text)::
    if std.endsWith(text, '\n') then $.trimmed(std.substr(text, 0, std.length(text) - 1)) else text,
}
