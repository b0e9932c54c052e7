local cost = import '../rules/cost.libsonnet';
local fill = (import '../texts.libsonnet').fill;
local accounts = ',account=~"$account"';
local people = ',user=~"$user",account=~"$account"';
local account = '(@, account)', user = '(@, user, account)';

function(b)
  local config = b.config.cost;
  local priced = config.prices != [];
  local whenPriced(list) = if priced then list else [];
  local whenPricedFor(resource, list) = if cost.has(b.config, resource) then list else [];
  local money = 'currency:' + config.currency;
  // Of invoices: all digits.
  local inFull(title, expr) = b.column(title, 'prefix:' + config.currency, expr) + { properties+: { decimals: 2 } };

  local by(labels) = if labels == '' then '' else 'by ' + labels + ' ';
  local grown(selector, labels) = fill('sum %s(increase(%s[$__range]))', [by(labels), selector]);
  local held(what) = function(entity, labels, where, more='') grown(fill('slurm_%s_job_allocated_%s_total{@%s%s}', [entity, what, more, where]), labels);
  local cpuHours(entity, labels, where) = held('cpu_seconds')(entity, labels, where) + ' / 3600';
  local gpuHours(entity, labels, where) = held('gres_seconds')(entity, labels, where, ',gres="gpu"') + ' / 3600';
  local charged(entity, labels, where) = grown(fill('%s{^%s}', [cost.held(entity), where]), labels);
  local unused(entity, labels, where) =
    fill('(%s - %s) / 3600', [grown(fill('slurm_%s_ended_job_%s_cpu_seconds_total{@%s}', [entity, what, where]), labels) for what in ['allocated', 'used']]);
  local unusedCost(entity, labels, where) =
    fill('%s - %s', [grown(fill('%s{^%s}', [cost.ended(entity, what), where]), labels) for what in ['allocated', 'used']]);
  local joules(entity, labels, where) = grown(fill('slurm_%s_ended_job_energy_joules_total{@%s}', [entity, where]), labels);
  local kwh(entity, labels, where) = joules(entity, labels, where) + ' / 3.6e6';
  local summed(record, labels) = fill('sum_over_time(sum %s(%s{^%s})[$__range:1m]) / 60', [by(labels), record, people]);

  // What a table says of each; `rank` leaves those with the most.
  local columns(entity, labels, where, of=function(expr) expr(entity, labels, where), rank=function(expr) expr, hasWaste=true, hasIdle=true) =
    local column(title, expr) = b.column(title, 'locale', rank(of(expr))) + b.count;
    [
      column('CPU hours', cpuHours),
      column('GPU hours', gpuHours),
      column('GiB hours', function(entity, labels, where) held('memory_byte_seconds')(entity, labels, where) + ' / 3600 / 2^30'),
      column('Billing hours', function(entity, labels, where) held('billing_seconds')(entity, labels, where) + ' / 3600'),
    ] + whenPriced([
      inFull('Cost', rank(of(charged))),
    ]) + (if !hasWaste then [] else [column('Wasted core hours', unused)] + whenPricedFor('cpu', [inFull('Cost of these', rank(of(unusedCost)))]))
    + (if !hasIdle then [] else [
         b.column('Idle GPU hours', 'locale', rank(summed(cost.idle, labels))) + b.count,
       ] + whenPricedFor('gres/gpu', [inFull('Cost of idle GPUs', rank(summed(cost.idleCost, labels)))]));
  local sort = if priced then '-Cost' else '-CPU hours';
  // An expression by user, for the fifty whose `rank` is largest.
  local fifty(expr, rank) = fill('%s\n  and on %s topk(50, %s)', [expr, user, rank('user', user, people)]);
  local first(expr) = fifty(expr, if priced then charged else cpuHours);

  local byPeople(labels) = function(expr) b.people(function(entity, where) expr(entity, labels, where));
  local by50Users(rank) = function(expr) fifty(expr('user', user, people), rank);
  local byPartition(expr) = expr('partition', '(@, partition)', '');
  local partitionKey = b.key('partition', 'Partition', [b.to('Partitions', 'partitions', { partition: '${__value.text}' })]);
  local accountKey = b.key('account', 'Account', [b.to('Its users', 'cost', { account: '${__value.text}' })]);
  local userKeys = [
    b.key('user', 'User', [b.to('Jobs and failures', 'jobs', { user: '${__value.text}' })]),
    b.key('account', 'Account', [b.to('This account', 'cost', { account: '${__value.text}' })]),
  ];
  // Energy is measured by node: of jobs that share one each has all of it.
  local consumed(title, keys, of) =
    b.table(title, 'What the nodes of ended jobs consumed while these ran, other jobs’ part included. The power for each CPU held is too little where only some nodes are measured.', keys, [
      b.column('Energy', 'kwatth', of(function(entity, labels, where) kwh(entity, labels, where) + ' > 0')),
      b.column('Power for a CPU', 'watt', of(function(entity, labels, where) fill('(%s > 0) / (%s > 0)', [
        joules(entity, labels, where),
        grown(fill('slurm_%s_ended_job_allocated_cpu_seconds_total{@%s}', [entity, where]), labels),
      ]))),
    ] + (if config.gramsPerKwh == null then [] else [
           b.column('CO2', 'massg', of(function(entity, labels, where) fill('%s * %g > 0', [kwh(entity, labels, where), config.gramsPerKwh]))),
         ]), '-Energy');
  local measuredGpuHours(entity, labels, where) = grown(fill('slurm_%s_ended_job_allocated_gpu_seconds_total{@%s}', [entity, where]), labels) + ' / 3600 > 0';
  local gpuMemory(title, keys, of) =
    b.table(title, 'The peak memory that ended jobs used on each of their GPUs, on average, and the GPU hours of which Slurm measured it.', keys, [
      b.column('GPU hours', 'locale', of(measuredGpuHours)) + b.count,
      b.column('Memory of a GPU', 'bytes', of(function(entity, labels, where) fill('%s / (%s > 0)', [
        grown(fill('slurm_%s_ended_job_%s_total{@%s}', [entity, what, where]), labels)
        for what in ['peak_gpu_memory_byte_seconds', 'allocated_gpu_seconds']
      ]))),
    ], '-GPU hours');

  local windows = [b.config.efficiency.window] + b.config.efficiency.longer;
  local efficiency(entity, kind, window) = fill('max by (@, %s) (cluster_%s:slurm_ended_job_%s_efficiency:ratio_increase%s{^,%s=~"$%s"})', [entity, entity, kind, window, entity, entity]);
  local efficiencies(title, entity, key, ofAccount='') =
    b.table(title, 'What ended jobs used of what they held, over so long before the end of the time shown. All but the shortest end with the last full hour.', [key], [
      b.column(fill('%s, %s', [kind[1], window]), 'percentunit', efficiency(entity, kind[0], window) + ofAccount) + b.cellBelow('efficiency')
      for kind in [['cpu', 'CPUs'], ['memory', 'Memory']]
      for window in windows
    ], 'CPUs, ' + windows[0]);

  // In a day, at the pace of each moment.
  local perDay(factor, selector) =
    fill('%s * (%s)', [factor, b.people(function(entity, where) b.mostPerSecond(10, account, selector(entity, where)))]);
  local kwhPerDay = '86400 * (%s) / 3.6e6';
  local month(title, from, to) = {
    title: title,
    type: 'link',
    tags: [],
    asDropdown: false,
    includeVars: true,
    keepTime: false,
    icon: 'time',
    targetBlank: false,
    tooltip: 'The same dashboard over this time',
    url: fill('/d/%s?from=%s&to=%s', [b.uid('cost'), from, to]),
  };
  local ofGres = '(@, account, gres, type)';

  b.board(
    'cost',
    'Cost and use',
    'What accounts, users, partitions and QOS held in the time shown, and what of it was wasted. With prices (cost.prices in dashboards/config.libsonnet) it says what that costs.',
    variables=[
      b.variable('account', 'Account', 'slurm_account_job_cpus{@}'),
      b.variable('user', 'User', 'slurm_user_job_cpus{@,account=~"$account"}'),
    ],
    time='now-30d',
    rows=[
      b.row('In the time shown', 'No jobs ran', height=4, panels=whenPriced([
        b.stat('Cost', 'What the accounts or users chosen held, each moment at the price of then. Billing has the weights of partitions in it; other prices are the same in all of them.', money, [
          ['cost', b.people(function(entity, where) charged(entity, '', where))],
        ]) + b.empty('No use at a price'),
      ]) + [
        b.stat('CPU hours', 'Hours for which jobs held CPUs, times their number.', 'locale', [
          ['hours', b.people(function(entity, where) cpuHours(entity, '', where))],
        ]) + b.whole,
        b.stat('GPU hours', 'Hours for which jobs held GPUs, times their number.', 'locale', [
          ['hours', b.people(function(entity, where) gpuHours(entity, '', where))],
        ]) + b.whole + b.empty('No GPUs'),
        b.stat('Wasted core hours', 'Hours for which jobs that ended held CPUs without using them.', 'locale', [
          ['hours', b.people(function(entity, where) unused(entity, '', where))],
        ]) + b.whole + b.empty('No slurmdbd tells'),
      ] + whenPricedFor('cpu', [
        b.stat('Cost of wasted hours', 'At the price of CPUs when the jobs ended.', money, [
          ['cost', b.people(function(entity, where) unusedCost(entity, '', where))],
        ]) + b.empty('No slurmdbd tells'),
      ]) + [
        b.stat('Idle GPU hours', 'Hours for which jobs held GPUs and did not use them, as far as it is measured.', 'locale', [
          ['hours', summed(cost.idle, '')],
        ]) + b.whole + b.empty('No exporter of GPUs'),
      ] + whenPricedFor('gres/gpu', [
        b.stat('Cost of idle GPUs', 'At the price of each type of GPU then.', money, [
          ['cost', summed(cost.idleCost, '')],
        ]) + b.empty('No exporter of GPUs'),
      ]) + [
        b.stat('Energy of ended jobs', 'What their nodes consumed while they ran, as Slurm accounts it. Jobs that share a node each have all of it.', 'kwatth', [
          ['energy', b.people(function(entity, where) kwh(entity, '', where))],
        ]) + b.empty('Not measured, or no slurmdbd'),
      ]),
    ] + (if priced then [] else [
           b.row('No prices: to see what use costs, set cost.prices in dashboards/config.libsonnet and run dashboards/generate', '', panels=[]),
         ]) + [
      b.row('Whose', 'No jobs ran', height=10, panels=[
        b.table('Accounts', 'What each account held in the time shown, and what of it was wasted.', [
          b.key('account', 'Account', [
            b.to('Its users', 'cost', { account: '${__value.text}' }),
            b.to('Users and accounts', 'users', { account: '${__value.text}' }),
          ]),
        ], columns('account', account, accounts, of=byPeople(account)), sort) + b.wide(24),
        b.table('Users', 'What each user held in the time shown, by account; the fifty with the most.', [
          b.key('user', 'User', [b.to('Users and accounts', 'users', { user: '${__value.text}' })]),
          b.key('account', 'Account', [b.to('This account', 'cost', { account: '${__value.text}' })]),
        ], columns('user', user, people, rank=first), sort) + b.wide(24),
        b.table('GPUs and other resources', 'Hours for which jobs of an account held generic resources, by type.', [
          b.key('account', 'Account'),
          b.key('gres', 'Resource'),
          b.key('type', 'Type'),
        ], [
          b.column('Hours', 'locale', b.people(function(entity, where) held('gres_seconds')(entity, ofGres, where) + ' / 3600 > 0')) + b.count,
        ] + whenPricedFor('gres', [
          inFull('Cost', b.people(function(entity, where) charged(entity, ofGres, ',resource=~"gres/.+"' + where) + ' > 0')),
        ]), '-Hours') + b.empty('No generic resources') + b.wide(24),
      ]),
      b.row('Where', 'No jobs ran', height=8, panels=[
        b.table('Partitions', 'Of all accounts and users: slurmscope counts by account or by partition, not by both. A price of a partition counts here alone.', [partitionKey], columns('partition', '(@, partition)', '', hasIdle=false), sort) + b.wide(14),
        b.table('QOS', 'Of all accounts and users. A price of a QOS counts here alone.', [
          b.key('qos', 'QOS'),
        ], columns('qos', '(@, qos)', '', hasWaste=false, hasIdle=false), sort),
      ]),
      b.row('Over time', 'No jobs ran', height=8, panels=whenPriced([
        b.graph('Cost, in a day', 'At the pace and the price of each moment; the ten accounts with the most in the time shown.', money, [
          ['{{account}}', perDay('86400', function(entity, where) fill('%s{^%s}', [cost.held(entity), where]))],
        ]) + b.stacked,
      ]) + [
        b.graph('CPU hours, in a day', 'At the pace of each moment; the ten accounts with the most in the time shown.', 'short', [
          ['{{account}}', perDay('24', function(entity, where) fill('slurm_%s_job_allocated_cpu_seconds_total{@%s}', [entity, where]))],
        ]) + b.stacked,
        b.graph('GPU hours, in a day', 'At the pace of each moment; the ten accounts with the most in the time shown.', 'short', [
          ['{{account}}', perDay('24', function(entity, where) fill('slurm_%s_job_allocated_gres_seconds_total{@,gres="gpu"%s}', [entity, where]))],
        ]) + b.empty('No GPUs') + b.stacked,
      ]),
      b.row('Efficiency', 'No jobs ended of which slurmdbd tells what they used', height=9, panels=[
        efficiencies('Efficiency of accounts', 'account', b.key('account', 'Account', [b.to('Jobs and failures', 'jobs', { account: '${__value.text}' })])),
        efficiencies(
          'Efficiency of users',
          'user',
          b.key('user', 'User', [b.to('Jobs and failures', 'jobs', { user: '${__value.text}' })]),
          fill(' and on (@, user) slurm_user_job_cpus{@%s}', accounts),
        ),
      ] + [
        b.graph('CPU efficiency, last ' + windows[0], 'Of the time before each moment; the ten accounts with the least in the time shown.', 'percentunit', [
          ['{{account}}', b.lowest(10, account, fill('cluster_account:slurm_ended_job_cpu_efficiency:ratio_increase%s{^%s}', [windows[0], accounts]))],
        ]) + b.bounds(0, 1) + b.wide(12),
        b.graph('Memory efficiency, last ' + windows[0], 'Of the time before each moment; the ten accounts with the least in the time shown.', 'percentunit', [
          ['{{account}}', b.lowest(10, account, fill('cluster_account:slurm_ended_job_memory_efficiency:ratio_increase%s{^%s}', [windows[0], accounts]))],
        ]) + b.bounds(0, 1) + b.wide(12),
      ]),
      b.row('Energy of ended jobs', 'No energy plugin in Slurm, no slurmdbd, or no jobs ended', height=9, collapsed=true, panels=[
        consumed('Energy of accounts', [accountKey], byPeople(account)),
        consumed('Energy of users', userKeys, by50Users(kwh)),
        consumed('Energy of partitions', [partitionKey], byPartition),
        b.graph('Energy of accounts, in a day', 'At the pace of each moment. It counts when jobs have ended, not while they run. The ten accounts with the most in the time shown.', 'kwatth', [
          ['{{account}}', fill(kwhPerDay, b.people(function(entity, where) b.mostPerSecond(10, account, fill('slurm_%s_ended_job_energy_joules_total{@%s}', [entity, where]))))],
        ]) + b.stacked,
        b.graph('Energy of users, in a day', 'At the pace of each moment. It counts when jobs have ended, not while they run. The ten users with the most in the time shown.', 'kwatth', [
          ['{{user}}', fill(kwhPerDay, b.mostPerSecond(10, '(@, user)', fill('slurm_user_ended_job_energy_joules_total{@%s}', people)))],
        ]) + b.stacked,
        b.graph('Energy of partitions, in a day', 'Of all accounts and users, at the pace of each moment. It counts when jobs have ended, not while they run. The ten partitions with the most in the time shown.', 'kwatth', [
          ['{{partition}}', fill(kwhPerDay, b.mostPerSecond(10, '(@, partition)', 'slurm_partition_ended_job_energy_joules_total{@}'))],
        ]) + b.stacked,
      ]),
      b.row('GPU memory of ended jobs', 'No GPU memory that Slurm measures, no slurmdbd, or no jobs ended', height=9, collapsed=true, panels=[
        gpuMemory('GPU memory of accounts', [accountKey], byPeople(account)),
        gpuMemory('GPU memory of users', userKeys, by50Users(measuredGpuHours)),
        gpuMemory('GPU memory of partitions', [partitionKey], byPartition),
      ]),
    ] + if config.gramsPerKwh == null then [] else [
      local energy = 'sum(increase(slurm_node_energy_joules_total{@}[$__range])) / 3.6e6';
      b.row('Energy and carbon', 'No energy plugin in Slurm, or slurmscope without nodes.per-node=full', height=4, panels=[
        b.stat('Energy', 'What the nodes used, whoever had them.', 'kwatth', [['energy', energy]]),
        b.stat('Carbon', fill('CO2 of that energy, at %g g for a kilowatt-hour.', config.gramsPerKwh), 'massg', [['CO2', fill('%s * %g', [energy, config.gramsPerKwh])]]),
      ]),
    ],
  ) {
    links: [
      month('This month', 'now%2FM', 'now'),
      month('Last month', 'now-1M%2FM', 'now-1M%2FM'),
    ] + super.links,
    refresh: '15m',  // over a month
  }
