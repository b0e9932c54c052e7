// Dashboards: { 'file.json': dashboard }.
{
  local b = (import 'library.libsonnet')($._config) + (import 'common.libsonnet')($._config),
  grafanaDashboards+:: {
    'budgets.json': (import 'budgets.libsonnet')(b),
    'cost.json': (import 'cost.libsonnet')(b),
    'exporter.json': (import 'exporter.libsonnet')(b),
    'gpus.json': (import 'gpus.libsonnet')(b),
    [if $._config.groups != [] then 'groups.json']: (import 'groups.libsonnet')(b),
    'job.json': (import 'job.libsonnet')(b),
    'joblist.json': (import 'joblist.libsonnet')(b),
    'jobs.json': (import 'jobs.libsonnet')(b),
    'limits.json': (import 'limits.libsonnet')(b),
    'myaccount.json': (import 'myaccount.libsonnet')(b),
    'myjobs.json': (import 'myjobs.libsonnet')(b),
    'nodes.json': (import 'nodes.libsonnet')(b),
    'overview.json': (import 'overview.libsonnet')(b),
    'partitions.json': (import 'partitions.libsonnet')(b),
    'queue.json': (import 'queue.libsonnet')(b),
    'scheduler.json': (import 'scheduler.libsonnet')(b),
    'users.json': (import 'users.libsonnet')(b),
    'waiting.json': (import 'waiting.libsonnet')(b),
  },
}
