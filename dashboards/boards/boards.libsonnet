// Dashboards: { 'file.json': dashboard }.
{
  grafanaDashboards+:: {},
}
