// What the dashboards are made of: Grafana's classic schema, as much of it as they need.
//
// In expressions {@} selects slurmscope's targets, and {^} those of anybody (recording rules, other exporters). Both
// select the clusters that were chosen. {!} selects those and what has no cluster, as some alerts. {~} selects what
// slurmscope says of its process, which has no cluster if it reads several. (@, partition) is a list of labels with the
// one that tells clusters apart before them.
local fill = (import '../texts.libsonnet').fill;
local datasource = { type: 'prometheus', uid: '${datasource}' };
local named = ['partition', 'qos', 'account', 'user', 'node', 'reservation', 'license', 'controller', 'endpoint', 'family', 'Hostname', 'instance'];
local letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
local columns = 24;  // of Grafana's grid

function(config) {
  local this = self,
  local chosen = config.clusterLabel + '=~"$cluster"',
  local selected = if config.selector == '' then '' else ',' + config.selector,
  local own = chosen + selected,
  local process = config.clusterLabel + '=~"$cluster|"' + selected,
  local expand(text) = std.foldl(
    function(text, pair) std.strReplace(text, pair[0], pair[1]),
    [['{@', '{' + own], ['{^', '{' + chosen], ['{!', '{' + config.clusterLabel + '=~"$cluster|"'], ['{~', '{' + process], ['(@', '(' + config.clusterLabel]],
    text
  ),

  // Queries are pairs of a legend and an expression. Names that each cluster may have are followed by that of the cluster.
  local ofCluster(legend) =
    local has(label) = std.strReplace(legend, '{{' + label + '}}', '') != legend;
    if !has(config.clusterLabel) && std.length(std.filter(has, named)) > 0 then fill('%s {{%s}}', [legend, config.clusterLabel]) else legend,
  local targets(queries, how) = std.mapWithIndex(
    function(i, query) { refId: letters[i], datasource: datasource, legendFormat: ofCluster(query[0]), expr: expand(query[1]) } + how,
    queries
  ),
  // What is now. (The last value of a range may be that of a series which is gone.)
  local now = { instant: true, range: false },
  local range = { instant: false, range: true },

  local panel(type, title, description, unit, targets) = {
    width:: null,
    height:: null,
    type: type,
    title: title,
    description: description,
    datasource: datasource,
    targets: targets,
    fieldConfig: {
      defaults: { unit: unit, color: { mode: 'palette-classic' }, mappings: [] },
      overrides: [],
    },
  },
  local defaults(more) = { fieldConfig+: { defaults+: more } },
  local override(name, properties) = {
    matcher: { id: 'byName', options: name },
    properties: [{ id: id, value: properties[id] } for id in std.objectFields(properties)],
  },

  local valueMapping(list) = {
    type: 'value',
    options: { [std.toString(list[i][0])]: { text: list[i][1], color: list[i][2], index: i } for i in std.range(0, std.length(list) - 1) },
  },

  // Mix-ins for panels.
  wide(columns):: { width:: columns },
  high(rows):: { height:: rows },
  bounds(min, max):: defaults({ min: min, max: max }),
  // Of things that are counted: what a counter grew by is an estimate.
  whole:: defaults({ decimals: 0 }),
  local steps(first, rest) = {
    color: { mode: 'thresholds' },
    thresholds: { mode: 'absolute', steps: [{ color: first, value: null }] + rest },
  },
  // Which values are bad is in config.libsonnet alone, by the name of a threshold.
  local high(name) =
    local values = config.boards.thresholds[name], colours = ['orange', 'red'];
    steps('green', [{ color: colours[i], value: values[i] } for i in std.range(0, std.length(values) - 1)]),
  local low(name) =
    local values = config.boards.thresholds[name];
    steps('red', [{ color: 'orange', value: values[1] }, { color: 'green', value: values[0] }]),
  above(name):: defaults(high(name)),
  below(name):: defaults(low(name)),
  plain:: defaults(steps('text', [])),
  // The same for one of several values.
  one(legend, unit, name):: { fieldConfig+: { overrides+: [override(legend, { unit: unit } + high(name))] } },
  // What values mean: [[value, text, colour], ...].
  values(list):: defaults({
    mappings: [valueMapping(list)],
    color: { mode: 'thresholds' },
    thresholds: { mode: 'absolute', steps: [{ color: 'text', value: null }] },
  }),
  upOrDown:: self.values([[0, 'down', 'red'], [1, 'up', 'green']]),
  // Colours of series by their names.
  colours(byName):: {
    fieldConfig+: {
      overrides+: [
        override(name, { color: { mode: 'fixed', fixedColor: byName[name] } })
        for name in std.objectFields(byName)
      ],
    },
  },
  stacked:: defaults({ custom+: { stacking: { mode: 'normal', group: 'A' }, fillOpacity: 60 } }),
  // Not from zero on.
  free:: { fieldConfig+: { defaults+: { min:: null } } },
  // Shown below the axis' zero line.
  negative(pattern):: {
    fieldConfig+: {
      overrides+: [{
        matcher: { id: 'byRegexp', options: pattern },
        properties: [{ id: 'custom.transform', value: 'negative-Y' }],
      }],
    },
  },
  links(links):: defaults({ links: links }),
  // Of a graph, how far its points are apart at least: a duration, or a variable. $__interval is that, or more on a small screen.
  atLeast(interval):: { interval: interval },
  // What it says if it has nothing to show.
  empty(text):: defaults({ noValue: text }),

  // A link of a value, a series or a cell to another dashboard, e.g. ('Nodes', 'nodes', { node: '${__value.text}' }).
  to(title, board, variables={}):: {
    title: title,
    url: '/d/' + this.uid(board) + '?' + std.join('&', [
      '${datasource:queryparam}',
    ] + (if std.objectHas(variables, 'cluster') then [] else ['${cluster:queryparam}']) + [
      '${__url_time_range}',
    ] + [fill('var-%s=%s', [name, variables[name]]) for name in std.objectFields(variables)]),
  },
  uid(board):: 'slurmscope-' + board,

  stat(title, description, unit, queries)::
    panel('stat', title, description, unit, targets(queries, now)) + this.plain + {
      options: {
        colorMode: 'value',
        graphMode: 'none',
        justifyMode: 'auto',
        orientation: 'auto',
        reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
        textMode: 'auto',
      },
    },

  bars(title, description, unit, queries)::
    panel('bargauge', title, description, unit, targets(queries, now)) + {
      options: {
        displayMode: 'basic',
        minVizHeight: 12,
        minVizWidth: 8,
        orientation: 'horizontal',
        reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
        showUnfilled: true,
        valueMode: 'color',
      },
    } + defaults({ min: 0 }),

  graph(title, description, unit, queries)::
    panel('timeseries', title, description, unit, targets(queries, range)) + {
      options: {
        legend: { calcs: [], displayMode: 'list', placement: 'bottom', showLegend: true },
        tooltip: { mode: 'multi', sort: 'desc' },
      },
    } + defaults({
      min: 0,
      custom: {
        drawStyle: 'line',
        fillOpacity: 10,
        lineWidth: 1,
        showPoints: 'never',
        spanNulls: false,
        stacking: { mode: 'none', group: 'A' },
      },
    }),

  // Of a histogram's buckets by le.
  heatmap(title, description, unit, query)::
    panel('heatmap', title, description, unit, targets([['{{le}}', query]], range { format: 'heatmap' })) + {
      options: {
        calculate: false,
        cellGap: 1,
        color: { mode: 'scheme', scheme: 'Oranges', fill: 'dark-orange', steps: 64, exponent: 0.5, scale: 'exponential', reverse: false },
        exemplars: { color: 'orange' },
        filterValues: { le: 1e-9 },
        legend: { show: true },
        rowsFrame: { layout: 'auto' },
        showValue: 'never',
        tooltip: { mode: 'single', yHistogram: false },
        yAxis: { axisPlacement: 'left', unit: unit },
      },
    },

  timeline(title, description, queries)::
    panel('state-timeline', title, description, 'short', targets(queries, range)) + {
      options: {
        alignValue: 'left',
        legend: { calcs: [], displayMode: 'list', placement: 'bottom', showLegend: true },
        mergeValues: true,
        rowHeight: 0.85,
        showValue: 'never',
        tooltip: { mode: 'single', sort: 'none' },
      },
    } + defaults({ custom: { fillOpacity: 80, lineWidth: 0 } }),

  // Labels that tell rows apart, shown as columns; links are of the cell's value.
  key(label, title, links=[]):: { label: label, title: title, links: links, properties:: {} },
  // A key whose values are shown as other words, { value: words }. It is in the query as inWords() makes it, of another label.
  keyInWords(label, title, words)::
    self.key(label, title) + {
      local names = std.objectFields(words),
      properties:: { 'custom.width': 700, mappings: [valueMapping([[name, words[name], 'text'] for name in names])] },
    },
  inWords(label, of, expr):: fill('label_join(%s, "%s", "", "%s")', [expr, label, of]),
  column(title, unit, expr):: { title: title, unit: unit, expr: expr, look:: {}, properties: {} },
  // Mix-ins for columns.
  count:: { properties+: { decimals: 0 } },
  tenths:: { properties+: { decimals: 1 } },
  cellValues(list):: {
    properties+: {
      'custom.cellOptions': { type: 'color-text' },
      mappings: [valueMapping(list)],
    },
  },
  bar:: {
    properties+: { 'custom.cellOptions': { type: 'gauge', mode: 'basic', valueDisplayMode: 'text' }, min: 0, max: 1 },
  },
  local coloured(how) = { properties+: { 'custom.cellOptions': { type: 'color-text' } } + how },
  cellAbove(name):: coloured(high(name)),
  cellBelow(name):: coloured(low(name)),
  yesOrNo:: self.cellValues([[0, 'no', 'red'], [1, 'yes', 'green']]),
  // For what only its labels matter of, and for a key that is only to tell rows apart.
  cellHidden:: { hidden: true },

  // A row for each set of the keys' values; `sort` is a column's title, `-` before it for the largest first.
  table(title, description, keys, columns, sort)::
    local value(i) = if std.length(columns) == 1 then 'Value' else 'Value #' + letters[i];
    local indices = std.range(0, std.length(columns) - 1);
    local hidden = [columns[i].title for i in indices if std.objectHas(columns[i], 'hidden')];
    // Keys are names, of digits too: Grafana would write the job 1776 as 1.78 K. Columns of values have their own units.
    panel('table', title, description, 'string', targets([['', column.expr] for column in columns], now { format: 'table' })) + {
      options: {
        cellHeight: 'sm',
        frameIndex: 0,
        showHeader: true,
        sortBy: [{ displayName: std.lstripChars(sort, '-'), desc: std.startsWith(sort, '-') }],
      },
      transformations: [
        { id: 'merge', options: {} },
        {
          id: 'organize',
          options: {
            excludeByName: { Time: true } + { [key.label]: true for key in keys if std.objectHas(key, 'hidden') } + { [value(i)]: true for i in indices if std.objectHas(columns[i], 'hidden') },
            indexByName: { [config.clusterLabel]: 0 } +
                         { [keys[i].label]: i + 1 for i in std.range(0, std.length(keys) - 1) } +
                         { [value(i)]: i + 1 + std.length(keys) for i in indices },
            renameByName: { [config.clusterLabel]: 'Cluster' } + { [key.label]: key.title for key in keys } +
                          { [value(i)]: columns[i].title for i in indices },
          },
        },
      ],
    } + defaults({ custom: { align: 'auto', filterable: true, inspect: false } }) + {
      fieldConfig+: {
        overrides:
          // Of a table with rows, Grafana would write into each empty cell what the table says without any.
          [{ matcher: { id: 'byRegexp', options: '/.*/' }, properties: [{ id: 'noValue', value: '' }] }] +
          [override(key.title, { links: key.links }) for key in keys if key.links != []] +
          [override(key.title, key.properties) for key in keys if key.properties != {}] +
          [override(column.title, { unit: column.unit } + column.properties) for column in columns if !std.member(hidden, column.title)],
      },
    },

  // Panels of a row share its width, but for those that say theirs, and go on below if there is no more room. `empty`: what
  // panels say that have nothing to show and no words of their own.
  row(title, empty, panels, height=8, collapsed=false):: {
    title: title,
    collapsed: collapsed,
    panels: [if std.objectHas(panel.fieldConfig.defaults, 'noValue') then panel else panel + this.empty(empty) for panel in panels],
    height: height,
  },

  local place(row) =
    local said = [panel.width for panel in row.panels if panel.width != null];
    local silent = std.length(row.panels) - std.length(said);
    local left = columns - std.foldl(function(a, b) a + b, said, 0) % columns;
    local share = if silent == 0 then 0 else std.floor(left / silent);
    std.foldl(
      function(at, panel)
        local mine = share + if at.silent < left - share * silent then 1 else 0;  // the first ones take what is left over
        local w = if panel.width == null then mine else panel.width, h = if panel.height == null then row.height else panel.height;
        local fits = at.x + w <= columns;
        local x = if fits then at.x else 0, y = if fits then at.y else at.bottom;
        { silent: at.silent + (if panel.width == null then 1 else 0), x: x + w, y: y, bottom: std.max(at.bottom, y + h), panels: at.panels + [panel { gridPos: { x: x, y: y, w: w, h: h } }] },
      row.panels,
      { silent: 0, x: 0, y: 0, bottom: 0, panels: [] },
    ),

  local layout(rows) =
    local laid = std.foldl(
      function(at, row)
        local placed = place(row);
        local inside = [panel { gridPos+: { y: super.y + at.y + 1 } } for panel in placed.panels];
        {
          y: at.y + 1 + if row.collapsed then 0 else placed.bottom,
          panels: at.panels + [{
            type: 'row',
            title: row.title,
            collapsed: row.collapsed,
            panels: if row.collapsed then inside else [],
            gridPos: { x: 0, y: at.y, w: columns, h: 1 },
          }] + if row.collapsed then [] else inside,
        },
      rows,
      { y: 0, panels: [] },
    );
    std.mapWithIndex(
      function(i, panel) panel { id: i + 1 } +
                         if panel.type == 'row' then { panels: std.mapWithIndex(function(j, inner) inner { id: 100 * (i + 1) + j }, super.panels) } else {},
      laid.panels
    ),

  // A variable with the values of a label; `one`: one of them has to be chosen. Of a hidden one all of them are, and no others.
  variable(name, label, metric, of=name, one=false, hidden=false):: {
    local query = expand(fill('label_values(%s, %s)', [metric, of])),
    name: name,
    label: label,
    type: 'query',
    datasource: datasource,
    definition: query,
    query: { query: query, refId: 'Variable-' + name, qryType: 1 },
    regex: '',
    refresh: 2,
    sort: 7,
    hide: if hidden then 2 else 0,
    multi: !one,
    includeAll: !one,
  } + if one then { current: {} } else (if hidden then {} else { allValue: '.*' }) + { current: { text: ['All'], value: ['$__all'] } },

  // A variable with values that are given: [[text, value], ...], the first of them at first.
  choice(name, label, list):: {
    name: name,
    label: label,
    type: 'custom',
    query: std.join(', ', [fill('%s : %s', one) for one in list]),
    options: [{ text: list[i][0], value: list[i][1], selected: i == 0 } for i in std.range(0, std.length(list) - 1)],
    current: { text: list[0][0], value: list[0][1] },
    hide: 0,
    multi: false,
    includeAll: false,
  },
  // A variable that one writes, or that a link has. Grafana keeps it whatever there is, where of a list it would take the first.
  written(name, label, value=''):: {
    name: name,
    label: label,
    type: 'textbox',
    query: value,
    options: [{ text: value, value: value, selected: true }],
    current: { text: value, value: value },
    hide: 0,
  },

  local source = {
    name: 'datasource',
    label: 'Data source',
    type: 'datasource',
    query: 'prometheus',
    regex: '',
    refresh: 1,
    hide: 0,
    multi: false,
    includeAll: false,
    current: {},
  },
  // Targets need no label that tells clusters apart: then there is no value to choose, and All is right. `of`: what has it.
  local choiceOfClusters(of) = {
    local cluster = self,
    name: 'cluster',
    label: 'Cluster',
    type: 'query',
    datasource: datasource,
    definition: fill('label_values(%s, %s)', [of, config.clusterLabel]),
    query: { query: cluster.definition, refId: 'Variable-cluster', qryType: 1 },
    regex: '',
    refresh: 2,
    sort: 1,
    hide: 0,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: ['All'], value: ['$__all'] },
  },

  local clusterInfo = 'slurm_cluster_info' + if config.selector == '' then '' else '{' + config.selector + '}',

  // The samples' values are the times at which things happened, if they are `ofTime`; else it happens while there are samples.
  local annotation(name, colour, expr, title, text, ofTime=true) = {
    name: name,
    datasource: datasource,
    enable: true,
    hide: false,
    iconColor: colour,
    target: { refId: 'Anno', expr: expand(expr) },
    expr: expand(expr),
    step: '60s',
    useValueForTime: ofTime,
    titleFormat: title,
    textFormat: text,
    tagKeys: '',
  },
  restarts:: annotation(
    'Controller restarts',
    'blue',
    '1000 * slurm_controller_start_timestamp_seconds{@}',
    'slurmctld was started',
    ''
  ),
  drains:: annotation(
    'Drains',
    'orange',
    |||
      1000 * slurm_node_reason_timestamp_seconds{@}
        * on (@, node) group_left (reason, user) slurm_node_reason_info{@}
    |||,
    '{{node}} is out of service',
    '{{reason}} (said by {{user}})'
  ),

  local page(title, url, tooltip) = {
    title: title,
    type: 'link',
    tags: [],
    asDropdown: false,
    includeVars: false,
    keepTime: false,
    icon: 'doc',
    targetBlank: true,
    tooltip: tooltip,
    url: url,
  },
  // Of a cell with an alert's name.
  toRunbook:: if config.runbookBase == null then [] else [{ title: 'Runbook', url: config.runbookBase + '/${__value.text}.md' }],

  alerts(expr):: annotation('Alerts', 'red', expr, '{{alertname}}', '{{severity}} {{partition}} {{node}} {{user}}', false),

  // Of the person who looks, by the name that Grafana knows. Variables of other boards do not fit: these have no tag of theirs.
  local mine(title, name) = {
    title: title,
    type: 'link',
    tags: [],
    asDropdown: false,
    includeVars: false,
    keepTime: false,
    icon: 'user',
    targetBlank: false,
    tooltip: 'By your name in Grafana, if Slurm has the same',
    url: fill('/d/%s?${datasource:queryparam}&${cluster:queryparam}&var-user=${__user.login}', this.uid(name)),
  },

  board(name, title, description, variables, rows, annotations=[this.restarts], time='now-6h', tag='slurmscope', clusters=clusterInfo):: {
    uid: this.uid(name),
    title: 'Slurm / ' + title,
    description: description,
    tags: ['slurm', tag],
    schemaVersion: 39,
    version: 1,
    editable: false,
    graphTooltip: 1,
    refresh: '1m',
    timezone: 'browser',
    time: { from: time, to: 'now' },
    timepicker: {},
    fiscalYearStartMonth: 0,
    weekStart: '',
    links: [{
      title: 'Slurm',
      type: 'dashboards',
      tags: ['slurmscope'],
      asDropdown: true,
      includeVars: true,
      keepTime: true,
      icon: 'external link',
      targetBlank: false,
      tooltip: '',
      url: '',
    }, mine('My jobs', 'myjobs'), mine('My account', 'myaccount')] + (
      if config.boards.slurmscope == null then [] else [
        page('slurmscope', config.boards.slurmscope + '/', 'Whether the cluster is well, in words'),
        page('What it asks', config.boards.slurmscope + '/plan', 'What slurmscope asks Slurm next, and why'),
      ]
    ) + (if config.runbookBase == null then [] else [page('Runbooks', config.runbookBase, 'A page for each alert')]),
    annotations: { list: annotations },
    templating: { list: [source, choiceOfClusters(clusters)] + variables },
    panels: layout(rows),
  },
}
