// Of records alone (rules/capacity.libsonnet), so that it shows a year from a store that keeps nothing else.
local capacity = import '../rules/capacity.libsonnet';
local fill = (import '../texts.libsonnet').fill;
local monthSeconds = 86400 * 365.25 / 12;
local account = '(@, account)';

function(b)
  local config = b.config.capacity;
  local growth = config.growth;
  local record(what, labels, operation='avg') = capacity.name(b.config, what, labels, operation);
  local by(labels) = fill('by (%s) ', std.join(', ', ['@'] + labels));

  // Hours of which records tell, by cluster. Samples are an hour apart: only functions over time find them.
  local recordedHours = record('cpus', ['state']);
  local hours(window, before='') = 'sum by (@) (count_over_time(' + recordedHours + '{^,state="idle"}[' + window + ']' + before + '))';
  // The mean of those hours. What has no sample of one was zero. `sum`: '', or 'by (...) ' what it is added up by.
  local mean(selector, window, sum, before='') =
    'sum ' + sum + '(sum_over_time(' + selector + '[' + window + ']' + before + ') / on (@) group_left () ' + hours(window, before) + ')';
  local total(selector, window, sum) = 'sum ' + sum + '(sum_over_time(' + selector + '[' + window + ']))';

  local ofPartition(make) = make(['partition'], ',partition=~"$partition"');
  // Of the cluster, or of the partitions chosen: `make` gets their labels, and matchers that begin with a comma.
  local chosen(make) =
    b.chosen(make([], ''), [['partition', ofPartition(make)]], {
      partition: 'last_over_time(' + record('cpus', ['partition', 'state']) + '{^%s}[$__range] @ end())',
    });

  local states = { configured: '.+', usable: 'allocated|idle', held: 'allocated' };
  local supply(what, labels, state, where) = record(what, labels) + '{^,state=~"' + states[state] + '"' + where + '}';
  local demand(what, labels, state, where) = record(what, labels) + '{^,state=~"' + state + '"' + where + '}';
  local cpus(state, window, sum) = function(of, where) mean(supply('cpus', of + ['state'], state, where), window, sum);
  local jobCpus(state, window, sum) = function(of, where) mean(demand('job_cpus', of + ['state'], state, where), window, sum);
  local gpus(state, window, sum) = function(of, where) mean(supply('gpus', of + ['state', 'type'], state, where), window, sum);
  local jobGpus(state, window, sum) = function(of, where) mean(demand('job_gpus', of + ['state', 'type'], state, where), window, sum);
  local ratio(a, b) = function(of, where) a(of, where) + ' / (' + b(of, where) + ' > 0)';

  // Of the month up to now and the one before it, where enough of both is known.
  local monthly(selector, sum, before='') =
    '(' + mean(selector, growth.month, sum, before) + ' and on (@) ' + hours(growth.month, before) + ' >= ' + growth.hours + ')';
  local before = ' offset ' + growth.month;
  local change(selector, sum) = monthly(selector, sum) + ' / (' + monthly(selector, sum, before) + ' > 0) - 1';

  // What is held, the mean of the week before each day: weekdays and weekends differ by more than a year's growth. Its slope counts
  // where it is `errors` times its standard error at least. There are as many values as weeks.
  local days(selector, sum) = '(sum ' + sum + '(avg_over_time(' + selector + '[7d])))[$__range:1d]';
  local known(days) = 'count_over_time(' + days + ') >= ' + growth.days;
  local slope(selector, sum) =
    local held = days(selector, sum);
    std.join('\n', [
      '(',
      '  deriv(' + held + ') > 0',
      '  and deriv(' + held + ') ^ 2 * 86400 ^ 2 * (count_over_time(' + held + ') ^ 2 - 1) / 12',
      '    * (count_over_time(' + held + ') / 7 - 2 + ' + growth.errors + ' ^ 2)',
      '    >= ' + growth.errors + ' ^ 2 * stdvar_over_time(' + held + ')',
      '  and ' + known(held),
      ')',
    ]);
  local months(held, usable, sum) =
    local now = 'sum ' + sum + '(avg_over_time(' + held + '[7d]))';
    local full = config.full + ' * (sum ' + sum + '(avg_over_time(' + usable + '[7d])) > 0)';
    std.join('\n', [
      '(',
      '  0 * (' + now + ' >= ' + full + ')',
      '  or (' + full + ' - ' + now + ') / ' + monthSeconds + ' / ' + slope(held, sum),
      ') <= ' + growth.months,
      'and ' + known(days(held, sum)),
    ]);

  local of = function(what, labels) function(state) function(of, where) supply(what, of + labels, state, where);
  local cpusOf = of('cpus', ['state']), gpusOf = of('gpus', ['state', 'type']);
  local with(make, selectors, sum) = function(of, where) make(selectors(of, where), sum);
  local monthsOf(selectors, sum) = function(of, where) months(selectors('held')(of, where), selectors('usable')(of, where), sum);

  local wait(quantile, selector, window, labels=[]) =
    'histogram_quantile(' + quantile + ', sum by (' + std.join(', ', (if labels == [] then [] else ['@']) + labels + ['le']) + ') (sum_over_time(' + selector + '[' + window + ']))) >= 0';
  local waits = fill('%s{^,partition=~"$partition"}', record('eligible_wait_seconds_bucket', ['partition', 'le'], 'increase'));
  local starts = fill('%s{^,partition=~"$partition",le="+Inf"}', record('eligible_wait_seconds_bucket', ['partition', 'le'], 'increase'));
  local idle(what, labels) = fill('%s{^,partition=~"$partition"}', record(fill('idle_%s_while_waiting', what), labels));
  local stranded(what, labels) = fill('%s{^,partition=~"$partition"}', record('stranded_' + what, labels));

  local used = fill('%s{^}', record('cpu_seconds', ['account'], 'increase'));
  local usedGpus = fill('%s{^}', record('gpu_seconds', ['account', 'type'], 'increase'));
  local first(n, expr, at='') = fill('%s\n  and on %s topk(%d, %s)', [expr, account, n, fill('sum by %s (sum_over_time(%s[$__range]%s))', [account, used, at])]);

  local point(panel) = panel + b.atLeast('$every');
  local graph(title, description, unit, queries) = point(b.graph(title, description, unit, queries));
  local partitionKey = b.key('partition', 'Partition', [b.to('Partitions', 'partitions', { partition: '${__value.text}' })]);
  local perDay(selector, sum) = '24 * ' + mean(selector, '$__interval', sum);
  local noGrowth = fill('Growth is not seen, or %d days are not known', growth.days);
  local untilFull = fill('When %g %% of what is usable is held at the pace of the days shown. Zero: it is so already. Empty: use does not grow, or less than %d days are known.', [100 * config.full, growth.days]);

  local size = config.sizeGroup;
  local sizeRow = if size == null then [] else [
    local legend = fill('{{%s}}', size);
    local sizes(what, labels, operation='avg', where='') = fill('%s{^%s}', [record(what, [size] + labels, operation), where]);
    b.row('By size of request', 'No sample yet, or slurmscope has no group of this name', height=8, panels=[
      graph('CPUs held by size', 'CPUs that running jobs hold, by how much each asks for.', 'short', [
        [legend, mean(sizes('job_cpus', ['state'], where=',state="running"'), '$__interval', fill('by (%s) ', size))],
      ]) + b.stacked + b.wide(8),
      graph('CPUs waited for by size', 'CPUs that pending jobs ask for, by how much each asks for.', 'short', [
        [legend, mean(sizes('job_cpus', ['state'], where=',state="pending"'), '$__interval', fill('by (%s) ', size))],
      ]) + b.stacked + b.wide(8),
      graph('P95 wait by size', 'How long jobs waited since they could start, but for one in twenty.', 's', [
        [legend, fill('histogram_quantile(0.95, sum by (%s, le) (sum_over_time(%s[$__interval]))) >= 0', [size, sizes('eligible_wait_seconds_bucket', ['le'], 'increase')])],
      ]) + b.wide(8),
      b.table('Sizes of request', 'What jobs of each size held in the time shown, and how long they waited.', [b.key(size, 'Size')], [
        b.column('CPU hours', 'locale', total(sizes('cpu_seconds', [], 'increase'), '$__range', by([size])) + ' / 3600') + b.count,
        b.column('Starts', 'locale', total(sizes('eligible_wait_seconds_bucket', ['le'], 'increase', ',le="+Inf"'), '$__range', by([size]))) + b.count,
        b.column('P50 wait', 's', wait(0.5, sizes('eligible_wait_seconds_bucket', ['le'], 'increase'), '$__range', [size])),
        b.column('P95 wait', 's', wait(0.95, sizes('eligible_wait_seconds_bucket', ['le'], 'increase'), '$__range', [size])),
      ], '-CPU hours') + b.wide(24),
    ]),
  ];

  b.board(
    'capacity',
    'Capacity',
    'What there is, what is held and what is waited for over months, whether it grows, and when it is full. It needs nothing but the hourly records slurm_capacity, which a store can keep for years.',
    variables=[
      b.variable('partition', 'Partition', record('cpus', ['partition', 'state']) + '{^}'),
      b.choice('every', 'A point is', [['a day', '1d'], ['a week', '7d']]),
    ],
    annotations=[],
    time='now-90d',
    clusters=record('cpus', ['state']),
    rows=[
      b.row('In the time shown', 'No sample yet: rules record one an hour', height=4, panels=[
        b.stat('CPUs', 'Those that are configured, and those that jobs can have, on average.', 'locale', [
          [state, chosen(cpus(state, '$__range', ''))]
          for state in ['configured', 'usable']
        ]) + b.whole,
        b.stat('CPUs held', 'By jobs, of all that were usable.', 'percentunit', [
          ['held', chosen(ratio(cpus('held', '$__range', ''), cpus('usable', '$__range', '')))],
        ]),
        b.stat('CPUs waited for', 'What pending jobs asked for on average. One that names several partitions counts in each.', 'locale', [
          ['waited for', chosen(jobCpus('pending', '$__range', ''))],
        ]) + b.whole,
        b.stat('GPUs held', 'By jobs, of all that were usable.', 'percentunit', [
          ['held', chosen(ratio(gpus('held', '$__range', ''), gpus('usable', '$__range', '')))],
        ]) + b.empty('No GPUs'),
        b.stat('Months until CPUs are full', 'Of the clusters, or partitions, chosen the first. ' + untilFull, 'short', [
          ['months', chosen(function(of, where) 'min(' + monthsOf(cpusOf, by(of))(of, where) + ')')],
        ]) + b.empty(noGrowth),
        b.stat('Months until GPUs are full', 'Of the types in the clusters, or partitions, chosen the first. ' + untilFull, 'short', [
          ['months', chosen(function(of, where) 'min(' + monthsOf(gpusOf, by(of + ['type']))(of, where) + ')')],
        ]) + b.empty(noGrowth + ', or no GPUs'),
      ]),
      b.row('Supply, use and demand', 'No sample yet: rules record one an hour', height=9, panels=[
        graph('CPUs: supply and use', 'What is configured, what jobs can have, and what they hold.', 'short', [
          [state, chosen(cpus(state, '$__interval', ''))]
          for state in ['configured', 'usable', 'held']
        ]),
        graph('CPUs: demand', 'What running jobs hold, and above it what pending jobs ask for. One that names several partitions counts in each.', 'short', [
          ['held', chosen(jobCpus('running', '$__interval', ''))],
          ['waited for', chosen(jobCpus('pending', '$__interval', ''))],
        ]) + b.stacked,
        graph('Nodes by state', 'Nodes by base state. What is down is not usable; what is drained has its base state here.', 'short', [
          ['{{state}}', chosen(function(of, where) mean(demand('nodes', of + ['state'], '.+', where), '$__interval', 'by (state) ') + ' > 0')],
        ]) + b.stacked + b.nodeColours,
        graph('GPUs held by type', 'By jobs, of all that were usable, by type.', 'percentunit', [
          ['{{type}}', chosen(ratio(gpus('held', '$__interval', 'by (type) '), gpus('usable', '$__interval', 'by (type) ')))],
        ]) + b.empty('No GPUs') + b.bounds(0, 1) + b.wide(8),
        graph('GPUs usable', 'GPUs of each type that jobs can have.', 'short', [
          ['{{type}}', chosen(gpus('usable', '$__interval', 'by (type) '))],
        ]) + b.empty('No GPUs') + b.stacked + b.wide(8),
        graph('GPUs waited for', 'What pending jobs ask for, by type. Those without a type were asked for without one.', 'short', [
          ['{{type}}', chosen(jobGpus('pending', '$__interval', 'by (type) '))],
        ]) + b.empty('No GPUs') + b.stacked + b.wide(8),
      ]),
      b.row('Partitions', 'No sample yet: rules record one an hour', height=9, panels=[
        b.table('Partitions', 'Means of the time shown, starts and waits in it. CPUs that are held are those of its nodes, by whatever partition.', [partitionKey], [
          b.column('CPUs', 'locale', ofPartition(cpus('configured', '$__range', by(['partition'])))) + b.count,
          b.column('Usable', 'locale', ofPartition(cpus('usable', '$__range', by(['partition'])))) + b.count,
          b.column('Held', 'percentunit', ofPartition(ratio(cpus('held', '$__range', by(['partition'])), cpus('usable', '$__range', by(['partition']))))) + b.bar,
          b.column('Held by its jobs', 'locale', ofPartition(jobCpus('running', '$__range', by(['partition'])))) + b.count,
          b.column('Waited for', 'locale', ofPartition(jobCpus('pending', '$__range', by(['partition'])))) + b.count,
          b.column('Starts', 'locale', total(starts, '$__range', by(['partition']))) + b.count,
          b.column('P50 wait', 's', wait(0.5, waits, '$__range', ['partition'])),
          b.column('P95 wait', 's', wait(0.95, waits, '$__range', ['partition'])),
        ], '-CPUs') + b.wide(24),
        graph('CPUs held by partition', "Allocated CPUs, of the partition's usable ones.", 'percentunit', [
          ['{{partition}}', ofPartition(ratio(cpus('held', '$__interval', by(['partition'])), cpus('usable', '$__interval', by(['partition']))))],
        ]) + b.bounds(0, 1),
        graph('CPUs waited for by partition', 'What pending jobs ask for; one that names several partitions counts in each.', 'short', [
          ['{{partition}}', ofPartition(jobCpus('pending', '$__interval', by(['partition'])))],
        ]),
      ]),
      b.row('Growth', noGrowth, height=9, panels=[
        b.table('Growth of partitions', fill('CPUs held in the last %s and in those before. %s', [growth.month, untilFull]), [partitionKey], [
          b.column('Held', 'locale', ofPartition(with(monthly, cpusOf('held'), by(['partition'])))) + b.count,
          b.column('Before', 'locale', ofPartition(with(function(selector, sum) monthly(selector, sum, before), cpusOf('held'), by(['partition'])))) + b.count,
          b.column('Change', 'percentunit', ofPartition(with(change, cpusOf('held'), by(['partition'])))),
          b.column('More a month', 'short', ofPartition(function(of, where) monthSeconds + ' * ' + slope(cpusOf('held')(of, where), by(['partition'])))),
          b.column('Months until full', 'short', ofPartition(monthsOf(cpusOf, by(['partition'])))) + { properties+: { decimals: 1 } },
        ], 'Months until full'),
        b.table('Growth of GPU types', fill('GPUs held in the last %s and in those before. %s', [growth.month, untilFull]), [b.key('type', 'Type')], [
          b.column('Held', 'locale', chosen(with(monthly, gpusOf('held'), by(['type'])))) + b.count,
          b.column('Before', 'locale', chosen(with(function(selector, sum) monthly(selector, sum, before), gpusOf('held'), by(['type'])))) + b.count,
          b.column('Change', 'percentunit', chosen(with(change, gpusOf('held'), by(['type'])))),
          b.column('More a month', 'short', chosen(function(of, where) monthSeconds + ' * ' + slope(gpusOf('held')(of, where), by(['type'])))),
          b.column('Months until full', 'short', chosen(monthsOf(gpusOf, by(['type'])))) + { properties+: { decimals: 1 } },
        ], 'Months until full') + b.empty('No GPUs'),
      ]),
      b.row('Accounts', 'No jobs ran', height=9, panels=[
        b.table('Accounts', fill('The fifty that held most in the time shown, and how their use changed in the last %s.', growth.month), [
          b.key('account', 'Account', [b.to('Cost and use', 'cost', { account: '${__value.text}' })]),
        ], [
          b.column('CPU hours', 'locale', first(50, total(used, '$__range', fill('by %s ', account)) + ' / 3600')) + b.count,
          b.column('GPU hours', 'locale', first(50, total(usedGpus, '$__range', fill('by %s ', account)) + ' / 3600')) + b.count,
          b.column('CPUs waited for', 'locale', first(50, mean(fill('%s{^}', record('pending_cpus', ['account'])), '$__range', fill('by %s ', account)))) + b.count,
          b.column('Change', 'percentunit', first(50, fill('(%s)', change(used, fill('by %s ', account))))),
        ], '-CPU hours'),
        graph('CPUs held by account', 'On average, of the ten accounts that held most in the time shown.', 'short', [
          ['{{account}}', first(10, mean(used, '$__interval', fill('by %s ', account)) + ' / 3600', ' @ end()')],
        ]) + b.empty('No jobs ran') + b.stacked,
      ]),
      b.row('Waits', 'No job started', height=8, panels=[
        graph('Waits', 'How long jobs waited since they could start: half of them, and all but one in twenty.', 's', [
          [one[0], wait(one[1], waits, '$__interval')]
          for one in [['P50', 0.5], ['P95', 0.95]]
        ]),
        graph('P95 wait by partition', 'How long jobs waited since they could start, but for one in twenty.', 's', [
          ['{{partition}}', wait(0.95, waits, '$__interval', ['partition'])],
        ]),
        graph('Submissions and starts', 'Jobs that were submitted, and that started, a day. One that names several partitions is submitted to each.', 'locale', [
          ['submitted', chosen(function(of, where) perDay(fill('%s{^%s}', [record('job_submissions', of, 'increase'), where]), ''))],
          ['started', perDay(starts, '')],
        ]),
      ]),
      b.row('What waits for what', 'No job waited', height=9, panels=[
        graph('Jobs that wait, by class', 'What pending jobs wait for, on average: startable ones for their turn or for resources.', 'short', [
          ['{{class}}', chosen(function(of, where) mean(fill('%s{^%s}', [record('pending_jobs', of + ['class', 'reason']), where]), '$__interval', 'by (class) '))],
        ]) + b.stacked,
        b.table('Reasons to wait', 'How many jobs waited on average in the time shown, by class and by reason of Slurm.', [
          b.key('class', 'Class'),
          b.key('reason', 'Reason'),
        ], [
          b.column('Jobs', 'locale', chosen(function(of, where) mean(fill('%s{^%s}', [record('pending_jobs', of + ['class', 'reason']), where]), '$__range', by(['class', 'reason'])))),
        ], '-Jobs'),
      ]),
      b.row('Idle while jobs wait', 'Nothing is idle while jobs wait', height=8, panels=[
        graph('CPUs idle while jobs wait', 'Idle CPUs of a partition while jobs wait that could start there: too scattered, kept free for a larger job, or of the wrong kind.', 'short', [
          ['{{partition}}', mean(idle('cpus', ['partition']), '$__interval', by(['partition']))],
        ]),
        graph('GPUs idle while jobs wait', 'Idle GPUs of a partition while jobs wait that could start there, and jobs wait for GPUs there.', 'short', [
          ['{{type}} in {{partition}}', mean(idle('gpus', ['partition', 'type']), '$__interval', by(['partition', 'type']))],
        ]) + b.empty('No GPUs'),
        b.table('Idle while jobs wait', 'What was idle while jobs waited that could start, on average, and how much of all that was usable.', [partitionKey], [
          b.column('CPUs', 'locale', mean(idle('cpus', ['partition']), '$__range', by(['partition']))) + b.count,
          b.column('Of those usable', 'percentunit', fill('%s / (%s > 0)', [
            mean(idle('cpus', ['partition']), '$__range', by(['partition'])),
            ofPartition(cpus('usable', '$__range', by(['partition']))),
          ])) + b.bar,
          b.column('GPUs', 'locale', mean(idle('gpus', ['partition', 'type']), '$__range', by(['partition']))),
        ], '-CPUs'),
      ]),
      b.row('Idle where no waiting job fits', 'Each waiting job fits somewhere', height=8, panels=[
        graph('CPUs where no waiting job fits', 'Idle CPUs of nodes that lack CPUs, memory or GPUs for each job that could start in the partition. A smaller job would fit.', 'short', [
          ['{{partition}}', mean(stranded('cpus', ['partition']), '$__interval', by(['partition']))],
        ]),
        graph('GPUs where no waiting job fits', 'Idle GPUs of nodes that lack GPUs, CPUs or memory for each job that could start in the partition and use them.', 'short', [
          ['{{type}} in {{partition}}', mean(stranded('gpus', ['partition', 'type']), '$__interval', by(['partition', 'type']))],
        ]) + b.empty('No job waits for GPUs'),
        b.table('Idle where no waiting job fits', 'What was idle, on average, on nodes that no job that could start has a use for. Beside it: how much of all idle CPUs that was.', [partitionKey], [
          b.column('CPUs', 'locale', mean(stranded('cpus', ['partition']), '$__range', by(['partition']))) + b.count,
          b.column('Of those idle', 'percentunit', fill('%s / (%s > 0)', [
            mean(stranded('cpus', ['partition']), '$__range', by(['partition'])),
            mean(idle('cpus', ['partition']), '$__range', by(['partition'])),
          ])) + b.bar,
          b.column('GPUs', 'locale', mean(stranded('gpus', ['partition', 'type']), '$__range', by(['partition']))),
        ], '-CPUs'),
      ]),
    ] + sizeRow,
  ) + { refresh: '1h' }
