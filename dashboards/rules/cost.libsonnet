// What use costs, and what of it is wasted.
//
// Money is recorded as a counter: what was held since slurmscope first counted, times the price of now. That is right for as
// long as the price stays. A price that changes begins a series of its own, by the label `since`. So `increase` over any time
// gives each piece of it the price that was valid then. Restarts of a counter and gaps of Prometheus do no harm, because
// they are what `increase` is made for. A recorded rate that is added up later would lose what was held in a gap.
// The label `price` is for those who change a number in place: the past keeps its price, too.
//
// Prices by hour of the day cannot be had like this. Their series would have gaps each day, over which `increase` counts, and
// each day would need a label of its own.
local promql = import 'promql.libsonnet';
local fill = (import '../texts.libsonnet').fill;

local each = {
  cpu: { family: 'cpu_seconds', per: '3600' },
  memory: { family: 'memory_byte_seconds', per: '3600 / 2^30' },
  billing: { family: 'billing_seconds', per: '3600' },
};
// What prices of partitions and QOS are called in an entry.
local own = { partition: 'partitions', qos: 'qos' };
local tresNames = std.objectFields(each) + ['gres'];
local entryNames = tresNames + ['from', own.partition, own.qos];

// Seconds of a day, in UTC; of a number: itself.
local seconds(from) =
  local part = [std.parseInt(text) for text in std.split(from, '-')];
  local year = part[0] - (if part[1] <= 2 then 1 else 0), month = (part[1] + 9) % 12;  // years that begin with March
  local days = 365 * year + std.floor(year / 4) - std.floor(year / 100) + std.floor(year / 400) + std.floor((153 * month + 2) / 5) + part[2];
  if std.isNumber(from) then from else (days - 719469) * 86400;

local checked(prices, names, where) =
  local unknown = std.filter(function(name) !std.member(names, name), std.objectFields(prices));
  if unknown == [] then prices else error fill('cost.prices: %s has %s, which is none of %s', [where, unknown[0], std.join(', ', names)]);

// The entries, each with the times between which it holds.
local periods(config) =
  local prices = config.cost.prices;
  [
    local entry = checked(prices[i], entryNames, 'an entry');
    local begin = seconds(entry.from);
    local end = if i + 1 < std.length(prices) then seconds(prices[i + 1].from) else null;
    assert end == null || begin < end : fill('cost.prices: %s does not come before %s', [entry.from, prices[i + 1].from]);
    entry {
      since: std.toString(entry.from),
      // filters, so it is a vector
      valid: fill('vector(time()) >= %d', begin) + (if end == null then '' else fill(' < %d', end)),
    }
    for i in std.range(0, std.length(prices) - 1)
  ];

local equal(label, value) = fill('%s=%s, ', [label, std.escapeStringJson(value)]);
local unequal(label, value) = fill('%s!=%s, ', [label, std.escapeStringJson(value)]);

// [{ resource, family, where, per, price }] of prices; of a GRES without a type it is the price of all types that have none.
local charged(prices) =
  local gres = std.get(prices, 'gres', {});
  local types(name) = [key for key in std.objectFields(gres) if std.startsWith(key, name + ':')];
  local ofType(key) = std.splitLimit(key, ':', 1)[1];
  [
    each[name] { resource: name, where: '', price: prices[name] }
    for name in std.objectFields(each)
    if std.get(prices, name) != null
  ] + [
    {
      local name = std.splitLimit(key, ':', 1)[0],
      resource: 'gres/' + key,
      family: 'gres_seconds',
      where: equal('gres', name) + (if key == name then std.join('', [unequal('type', ofType(other)) for other in types(name)]) else equal('type', ofType(key))),
      per: each.cpu.per,
      price: gres[key],
    }
    for key in std.objectFields(gres)
    if gres[key] != null
  ];

// A partition or QOS with prices of its own has the others, too.
local groups(entity, period) =
  local special = if std.objectHas(own, entity) then std.get(period, own[entity], {}) else {};
  local names = std.objectFields(special);
  [{ where: std.join('', [unequal(entity, name) for name in names]), prices: period, labels: {} }] + [
    {
      local mine = checked(special[name], tresNames, name),
      where: equal(entity, name),
      labels: { [entity]: name },  // has it anyway; so no two rules look alike
      prices: period + mine + { gres: std.get(period, 'gres', {}) + std.get(mine, 'gres', {}) },
    }
    for name in names
  ];

local number(value) = if value == 0 then '0' else '%.10g' % value;  // which does not know 0

// One rule for each price: a counter that costs this much since then.
local counters(config, entity, record, families, kinds, of=function(kind) kind) = [
  promql.rule(config, record, '%(family)s{%(where)s%(s)s} * %(price)s / %(per)s and on () (%(valid)s)', {
    family: fill(families, kind),
    where: group.where + kind.where,
    price: number(kind.price),
    per: kind.per,
    valid: period.valid,
  }) + { labels: group.labels { price: number(kind.price), resource: kind.resource, since: period.since } }
  for period in periods(config)
  for group in groups(entity, period)
  for kind in std.map(of, charged(group.prices))
  if std.member(kinds, kind.resource) || kinds == []
];

// What no job holds of nodes that are out of service. The GPUs of these have no type.
local out = ['cpu', 'memory', 'gres/gpu'];
local ofOutages(kind) = if kind.resource == 'gres/gpu' then kind { family: 'gpu_seconds', where: '' } else kind;

local idle = 'cluster_account_user_type:slurm_job_gpus_idle:sum';
local level = { account: 'cluster_account', user: 'cluster_account_user', partition: 'cluster_partition', qos: 'cluster_qos' };

{
  // Names of what is recorded. Users are by account, too.
  held(entity):: fill('%s_resource:slurm_job_cost:total', level[entity]),
  ended(entity, what):: fill('%s_resource:slurm_ended_job_%s_cost:total', [level[entity], what]),
  idle:: idle,
  idleCost:: 'cluster_account_user_type:slurm_job_gpus_idle_cost:sum',

  outages(entity):: if entity == 'cluster' then 'cluster_resource:slurm_node_outage_cost:total' else fill('cluster_%s_resource:slurm_node_outage_cost:total', entity),
  hasOutages(config):: [kind for period in periods(config) for kind in charged(period) if std.member(out, kind.resource)] != [],

  // Has any entry a price for it, such as `cpu`, `gres` or `gres/gpu`?
  has(config, resource):: [
    kind
    for period in periods(config)
    for kind in charged(period)
    for end in [':', '/']
    if std.startsWith(kind.resource + end, resource + end)
  ] != [],

  rules(config)::
    [
      promql.rule(config, idle, |||
        sum by (%(c)s, account, user, type) (
          max by (%(c)s, jobid, type) (slurm_job_allocated_gres{gres="gpu", %(s)s})
          * on (%(c)s, jobid) group_left () (slurm:job:gpus_idle / (slurm:job:gpus > 0))
          * on (%(c)s, jobid) group_left (account, user) max by (%(c)s, jobid, account, user) (slurm_job_info{%(s)s})
        )
      |||),
    ]
    + std.flatMap(
      function(entity) counters(config, entity, self.held(entity), fill('slurm_%s_job_allocated_%%(family)s_total', entity), []),
      ['account', 'user', 'partition', 'qos']
    )
    // The difference of the two is what CPUs were held for without use. It is no counter, so each of them is one.
    + std.flatMap(
      function(of) counters(config, of[0], self.ended(of[0], of[1]), fill('slurm_%s_ended_job_%s_%%(family)s_total', of), ['cpu']),
      [[entity, what] for entity in ['account', 'user', 'partition'] for what in ['allocated', 'used']]
    )
    + std.flatMap(
      function(entity) counters(config, entity, self.outages(entity), fill('slurm_%s_node_outage_%%(family)s_total', entity), out, ofOutages),
      ['cluster', 'partition']
    )
    // What they cost in an hour.
    + if !self.has(config, 'gres/gpu') then [] else [{
      record: $.idleCost,
      expr: std.join('or\n', [
        promql.query(config, '%(idle)s{%(where)s} * %(price)s and on () (%(valid)s)', {
          idle: idle,
          where: std.strReplace(kind.where, 'gres="gpu", ', ''),
          price: number(kind.price),
          valid: period.valid,
        })
        for period in periods(config)
        for kind in charged(period)
        if std.startsWith(kind.resource + ':', 'gres/gpu:')
      ]),
    }],
}
