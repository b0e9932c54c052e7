// One alert. `audience` is who reads it, and from that its severity follows. `own` are its numbers in the configuration, which
// its texts may name as %(name)s.
local promql = import '../rules/promql.libsonnet';
local fill = (import '../texts.libsonnet').fill;
local trimmed = (import '../texts.libsonnet').trimmed;

// page: somebody is woken. Work or accounting is being lost, or would be without anybody seeing it.
// ticket: an operator looks at it on a working day.
// user_support: somebody writes to users.
// report: nobody acts at once; it belongs to what is read once a week.
// watchdog: a machine notices when it stops.
local severities = {
  page: 'critical',
  ticket: 'warning',
  user_support: 'info',
  report: 'info',
  watchdog: 'none',
};

function(config, name, audience, own, expr, summary, description) {
  // " of CLUSTER", where clusters have names
  local texts = {
    of: fill('{{ with $labels.%s }} of {{ . }}{{ end }}', config.clusterLabel),
  } + own,
  // A page is read where it is installed, or where the site has published it.
  local runbook = if config.runbookBase == null
  then { runbook: fill('/usr/share/slurmscope/dashboards/runbooks/%s.md', name) }
  else { runbook_url: fill('%s/%s.md', [config.runbookBase, name]) },
  alert: name,
  expr: promql.query(config, expr, own),
  [if 'for' in own then 'for']: own['for'],
  [if 'keep' in own then 'keep_firing_for']: own.keep,
  labels: { severity: severities[audience], audience: audience },
  annotations: {
    summary: summary,
    description: std.strReplace(trimmed(fill(description, texts)), '\n', ' '),
  } + runbook,
}
