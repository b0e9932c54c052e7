// One alert: `own` are its numbers in the configuration, which its texts may name as %(name)s.
local promql = import '../rules/promql.libsonnet';

function(config, name, severity, own, expr, summary, description) {
  // " of CLUSTER", where clusters have names
  local texts = {
    of: '{{ with $labels.%s }} of {{ . }}{{ end }}' % config.clusterLabel,
  } + own,
  alert: name,
  expr: promql.query(config, expr, own),
  [if 'for' in own then 'for']: own['for'],
  [if 'keep' in own then 'keep_firing_for']: own.keep,
  labels: { severity: severity },
  annotations: {
    summary: summary,
    description: std.strReplace(std.rstripChars(description % texts, '\n'), '\n', ' '),
    runbook_url: '%s/%s.md' % [config.runbookBase, name],
  },
}
