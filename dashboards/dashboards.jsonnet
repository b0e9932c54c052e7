// { path in the repository: dashboard }, see generate.

// Grafana asks for the data source when a dashboard is imported.
local imported(board) = board {
  __inputs: [{
    name: 'DS_PROMETHEUS',
    label: 'Prometheus',
    description: '',
    type: 'datasource',
    pluginId: 'prometheus',
    pluginName: 'Prometheus',
  }],
  __requires: [
    { type: 'grafana', id: 'grafana', name: 'Grafana', version: '10.0.0' },
    { type: 'datasource', id: 'prometheus', name: 'Prometheus', version: '1.0.0' },
  ] + [
    { type: 'panel', id: kind, name: kind, version: '' }
    for kind in std.set([panel.type for row in board.panels for panel in [row] + std.get(row, 'panels', []) if panel.type != 'row'])
  ],
  id: null,
  templating+: {
    list: [
      variable + if variable.type == 'datasource' then { current: { text: '${DS_PROMETHEUS}', value: '${DS_PROMETHEUS}' } } else {}
      for variable in super.list
    ],
  },
};

// An object's fields are evaluated each time that they are read; those of JSON are there.
function(boards=std.parseJson(std.toString((import 'mixin.libsonnet').grafanaDashboards)))
  { ['dashboards/grafana/' + file]: boards[file] for file in std.objectFields(boards) } +
  { ['dashboards/import/' + file]: imported(boards[file]) for file in std.objectFields(boards) }
