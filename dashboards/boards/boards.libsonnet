// Dashboards: { 'file.json': dashboard }.
{
  local b = (import 'library.libsonnet')($._config) + (import 'common.libsonnet'),
  grafanaDashboards+:: {
    'jobs.json': (import 'jobs.libsonnet')(b),
    'overview.json': (import 'overview.libsonnet')(b),
    'queue.json': (import 'queue.libsonnet')(b),
  },
}
