// Jobs by what the site chose: the families that `groups` in slurmscope.yml declares.
local fill = (import '../texts.libsonnet').fill;

// Of each metric: what is in the families' names behind slurm_group_NAME_, of one that each row has.
local rowsOf = {
  jobs: 'jobs',
  cpus: 'job_cpus',
  memory: 'job_memory_bytes',
  gpus: 'job_gres',
  ends: 'job_submissions_total',
  waits: 'job_eligible_wait_seconds_count',
  runtimes: 'job_runtime_seconds_count',
  use: 'job_allocated_cpu_seconds_total',
};
local titles = {
  account: 'Account',
  comment: 'Comment',
  feature: 'Feature',
  license: 'Licence',
  name: 'Name',
  partition: 'Partition',
  qos: 'QOS',
  reservation: 'Reservation',
  user: 'User',
  wckey: 'WCKey',
};
local title(label) = std.get(titles, label, label);

local read(group) = {
  local unknown = std.filter(function(metric) !std.objectHas(rowsOf, metric), self.metrics),
  assert unknown == [] : fill('groups: %s has %s, which is none of %s', [group.name, unknown[0], std.join(', ', std.objectFields(rowsOf))]),
  assert !std.member(self.labels, 'datasource') : fill('groups: %s: the dashboard has another variable datasource', group.name),
  name: group.name,
  labels: [if std.isString(label) then label else std.get(label, 'label', label.from) for label in group.by],
  metrics: std.get(group, 'metrics', ['jobs', 'ends']),
  has(metric):: std.member(self.metrics, metric),
  family(of):: fill('slurm_group_%s_%s', [self.name, of]),
  // A selector of one family of each metric.
  rows(where):: fill('{@,__name__=~"%s"%s}', [std.join('|', [self.family(rowsOf[metric]) for metric in self.metrics]), where]),
};

// Three in a line, and those of the last line share it.
local threeInALine(b, panels) =
  local last = std.length(panels) % 3, full = std.length(panels) - last;
  [panels[i] + b.wide(if i < full then 8 else 24 / last) for i in std.range(0, std.length(panels) - 1)];

local rowOf(b, group, collapsed) =
  local by = std.join(', ', group.labels), keys = fill('(@, %s)', by);
  local named = std.length(group.labels) > 1;
  local legend = std.join(' ', [(if named then fill('%s={{%s}}', [label, label]) else fill('{{%s}}', label)) for label in group.labels] + [fill('{{%s}}', b.config.clusterLabel)]);
  local where = std.join('', [fill(',%s=~"$%s"', [label, label]) for label in group.labels]);
  local of(family, more='') = group.family(family) + fill('{@%s%s}', [more, where]);
  local now(family, more) = fill('sum by %s (%s)', [keys, of(family, more)]);
  local grown(family, more='') = fill('sum by %s (increase(%s[$__range]))', [keys, of(family, more)]);
  local hours(what, more='') = grown(fill('job_allocated_%s_seconds_total', what), more) + ' / 3600';
  local quantile(q, what) = b.waitQuantile(q, by, where, group.family(fill('job_%s_seconds', what)));
  // A label that is empty is none, and Grafana would merge its row with those that have one. This label is never empty,
  // because a `|` follows the last. (The last is one that nothing has. With the label itself there VictoriaMetrics adds a 1.)
  local told(expr) = fill('label_join(%s, "slurmscope_row", "|", %s)', [expr, std.join(', ', [fill('"%s"', label) for label in group.labels + ['slurmscope_nothing']])]);
  local column(title, unit, expr) = { title: title, unit: unit, expr: expr, mixin:: {} };
  local whole(title, unit, expr) = column(title, unit, expr) { mixin:: b.count };

  // Of each metric, the first column of which says which rows come first.
  local columns = {
    jobs: [
      column('Running', 'locale', now('jobs', ',state="running"')),
      column('Pending', 'locale', now('jobs', ',state="pending"')),
    ],
    cpus: [
      column('CPUs held', 'locale', now('job_cpus', ',state="running"')),
      column('CPUs asked for', 'locale', now('job_cpus', ',state="pending"')),
    ],
    memory: [column('Memory held', 'bytes', now('job_memory_bytes', ',state="running"'))],
    gpus: [column('GPUs held', 'locale', now('job_gres', ',gres="gpu",state="running"'))],
    use: [
      whole('CPU hours', 'locale', hours('cpu')),
      whole('GPU hours', 'locale', hours('gres', ',gres="gpu"')),
      whole('GiB hours', 'locale', hours('memory_byte') + ' / 2^30'),
      whole('Billing hours', 'locale', hours('billing')),
    ],
    ends: [
      whole('Started', 'locale', grown('job_starts_total')),
      column('Failed', 'percentunit', b.failureRatio(group.family('job_ends_total'), keys, where)) { mixin:: b.cellAbove('failures') },
    ],
    waits: [column('P95 of waits', 's', quantile(0.95, 'eligible_wait'))],
    runtimes: [column('P50 of run times', 's', quantile(0.5, 'runtime'))],
  };
  local shown = [metric for metric in ['jobs', 'cpus', 'memory', 'gpus', 'use', 'ends', 'waits', 'runtimes'] if group.has(metric)];
  local first = columns[[metric for metric in ['use', 'cpus', 'gpus', 'memory', 'jobs', 'ends', 'waits', 'runtimes'] if group.has(metric)][0]][0];
  local most = fill('topk(%d, %s or 0 * count by %s (%s))', [b.config.boards.groups, first.expr, keys, group.rows(where)]);

  local overTime(title, description, unit, expr) = b.graph(fill(title, group.name), description + ' The ten rows with the most in the time shown.', unit, [[legend, expr]]);
  local quantiles(title, description, what) = b.graph(fill(title, group.name), description, 's', [
    [one[0], b.quantile(one[1], group.family(fill('job_%s_seconds', one[2])), where)]
    for one in what
  ]);
  local inADay(family, more='') = fill('24 * (%s)', b.mostPerSecond(10, keys, of(family, more)));
  local held(family, more='') = b.most(10, keys, of(family, more + ',state="running"'));
  local graphs = {
    jobs: [
      b.graph('Jobs of ' + group.name, 'Jobs in each state. One of several rows counts in each.', 'short', [
        ['{{state}}', fill('sum by (state) (%s)', of('jobs'))],
      ]) + b.stacked + b.jobColours,
    ],
    cpus: [overTime('CPUs of %s', 'CPUs that running jobs hold.', 'short', held('job_cpus')) + b.stacked],
    memory: [overTime('Memory of %s', 'Memory that running jobs hold.', 'bytes', held('job_memory_bytes')) + b.stacked],
    gpus: [overTime('GPUs of %s', 'GPUs that running jobs hold.', 'short', held('job_gres', ',gres="gpu"')) + b.stacked + b.empty('No GPUs')],
    ends: [
      b.graph('Submissions and starts of ' + group.name, 'Jobs that were submitted and that started, as if it went on for an hour.', 'short', [
        [one[0], fill('3600 * sum(rate(%s[$__rate_interval]))', of(one[1]))]
        for one in [['submitted', 'job_submissions_total'], ['started', 'job_starts_total']]
      ]),
      b.graph('Ends of ' + group.name, 'Jobs that ended, by how, as if it went on for an hour.', 'short', [
        ['{{state}}', fill('3600 * sum by (state) (rate(%s[$__rate_interval])) > 0', of('job_ends_total'))],
      ]) + b.stacked + b.jobColours + b.empty('No jobs ended'),
    ],
    waits: [
      quantiles('Waits of %s', 'How long jobs that started had waited, since they were eligible and since their submission.', [
        ['P50', 0.5, 'eligible_wait'],
        ['P95', 0.95, 'eligible_wait'],
        ['P95 since submission', 0.95, 'submit_wait'],
      ]) + b.empty('No jobs started'),
    ],
    runtimes: [
      quantiles('Run times of %s', 'How long jobs that ended had run.', [['P50', 0.5, 'runtime'], ['P95', 0.95, 'runtime']]) + b.empty('No jobs ended'),
    ],
    use: [
      overTime('CPU hours of %s, in a day', 'At the pace of each moment.', 'short', inADay('job_allocated_cpu_seconds_total')) + b.stacked,
      overTime('GPU hours of %s, in a day', 'At the pace of each moment.', 'short', inADay('job_allocated_gres_seconds_total', ',gres="gpu"')) + b.stacked + b.empty('No GPUs'),
    ],
  };

  b.row('Group ' + group.name, 'No jobs of this group', height=7, collapsed=collapsed, panels=[
    b.table(
      fill('%s by %s', [group.name, by]),
      fill('What each row of the group holds now, and what became of its jobs in the time shown; the %d with the most: %s.', [b.config.boards.groups, first.title]),
      [b.key(label, title(label)) for label in group.labels] + [b.key('slurmscope_row', 'Row') + b.cellHidden],
      [b.column(one.title, one.unit, told(fill('%s\n  and on %s %s', [one.expr, keys, most]))) + one.mixin for metric in shown for one in columns[metric]],
      '-' + first.title
    ) + b.wide(24) + b.high(9),
  ] + threeInALine(b, std.flattenArrays([graphs[metric] for metric in shown])));

function(b)
  local groups = [read(group) for group in b.config.groups];
  local labels = std.set(std.flatMap(function(group) group.labels, groups));
  b.board(
    'groups',
    'Groups',
    'Jobs by what the site chose, from `groups` in slurmscope.yml. A job counts in each row that it has values for; an empty label says that it has none. What ended jobs used of what they held is not counted by group.',
    variables=[
      b.variable(label, title(label), fill('{@,__name__=~"%s"}', std.join('|', [
        group.family(rowsOf[metric])
        for group in groups
        if std.member(group.labels, label)
        for metric in group.metrics
      ])))
      for label in labels
    ],
    time='now-24h',
    rows=[rowOf(b, groups[i], i > 0) for i in std.range(0, std.length(groups) - 1)],
  )
