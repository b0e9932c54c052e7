local fill = (import '../texts.libsonnet').fill;
local where = 'qos=~"$qos"';

function(b)
  // A column for each unit that a resource may have.
  local byUnit(title, expr) = [
    b.column(title, 'locale', fill(expr, 'resource!~"mem|mem_.*|.*_seconds"')),
    b.column(title + ' of memory', 'bytes', fill(expr, 'resource=~"mem|mem_.*"')),
    b.column(title + ' of time', 's', fill(expr, 'resource=~".*_seconds",resource!~"mem_.*"')),
  ];
  b.board(
    'limits',
    'QOS, reservations, licences',
    'What limits there are, and how much of them is used.',
    variables=[b.variable('qos', 'QOS', 'slurm_qos_jobs{@}'), b.variable('account', 'Account', 'slurm_association_usage{@}')],
    rows=[
      b.row('Now', 'No limits, or no slurmdbd', height=4, panels=[
        b.stat('At a limit of a QOS', 'How many users and accounts have reached a limit per user or account; their further jobs wait.', 'short', [
          ['at their limit', fill('sum(slurm_qos_entities_at_limit{@,%s})', where)],
        ]),
        b.stat('Fullest QOS limit', 'The largest part of a limit for all jobs of a QOS that is used.', 'percentunit', [
          ['{{qos}}: {{resource}}', fill('topk(1, max by (@, qos, resource) (slurm_qos_usage{@,%s}) / (max by (@, qos, resource) (slurm_qos_limit{@,scope="group"}) > 0))', where)],
        ]) + b.above('limit'),
        b.stat('Fullest association limit', 'The largest part of a limit for all jobs of an account or user that is used.', 'percentunit', [
          ['{{account}} {{user}}: {{resource}}', 'topk(1, max by (@, account, user, partition, resource) (slurm_association_usage{@,account=~"$account"}) / (max by (@, account, user, partition, resource) (slurm_association_limit{@,scope="group"}) > 0))'],
        ]) + b.above('limit'),
        b.stat('Jobs that wait for a limit', 'Pending jobs that a limit of a QOS or association keeps from starting.', 'short', [
          ['jobs', b.chosen(fill('sum(slurm_qos_pending_jobs{@,%s,class="limit"})', where), [
            ['account', 'sum(slurm_account_pending_jobs{@,account=~"$account",class="limit"})'],
          ])],
        ]) + b.empty('None'),
        b.stat('Jobs that wait for licences', 'Pending jobs whose reason is Licenses.', 'short', [
          ['jobs', b.chosen('sum(slurm_cluster_pending_jobs{@,reason="Licenses"}) or 0 * sum(slurm_cluster_jobs{@})', [
            ['qos', fill('sum(slurm_qos_pending_jobs{@,%s,reason="Licenses"})', where)],
            ['account', 'sum(slurm_account_pending_jobs{@,account=~"$account",reason="Licenses"})'],
          ])],
        ]) + b.empty('None') + b.above('some'),
        b.stat('Reservations now', 'Those that are active, and those to come.', 'short', [
          ['active', 'sum(slurm_reservation_active{@})'],
          ['to come', 'count(slurm_reservation_start_timestamp_seconds{@} > time()) or 0 * count(slurm_reservation_info{@})'],
        ]) + b.empty('No reservations'),
      ]),
      b.row('QOS', 'No limits, or no slurmdbd', height=8, panels=[
        b.table('Limits for all jobs of a QOS', 'Group limits (Grp...) and what jobs hold of them, as Slurm charges them; a partition’s QOS, too. What decays is not known.', [
          b.key('qos', 'QOS', [b.to('Queue and waits', 'queue', { qos: '${__value.text}' })]),
          b.key('resource', 'Resource'),
        ], byUnit('Limit', fill('max by (@, qos, resource) (slurm_qos_limit{@,%s,scope="group",%%s})', where)) +
           byUnit('Used', fill('max by (@, qos, resource) (slurm_qos_usage{@,%s,%%s}) and on (@, qos, resource) slurm_qos_limit{@,scope="group"}', where)) + [
          b.column('Part', 'percentunit', fill('max by (@, qos, resource) (slurm_qos_usage{@,%s}) / (max by (@, qos, resource) (slurm_qos_limit{@,scope="group"}) > 0)', where)) + b.bar,
        ], '-Part') + b.wide(24) + b.high(7),
        b.table('Limits per user or account of a QOS', 'What one may have, the most that one has, and how many have reached it.', [
          b.key('qos', 'QOS'),
          b.key('scope', 'Whose'),
          b.key('resource', 'Resource'),
        ], byUnit('Limit', fill('max by (@, qos, scope, resource) (slurm_qos_limit{@,%s,scope=~"per_user|per_account",%%s})', where)) +
           byUnit('Largest use', fill('max by (@, qos, scope, resource) (slurm_qos_largest_usage{@,%s,%%s})', where)) + [
          b.column('At the limit', 'short', fill('max by (@, qos, scope, resource) (slurm_qos_entities_at_limit{@,%s})', where)) + b.cellAbove('some'),
        ], '-At the limit') + b.wide(24) + b.high(7),
        b.table('QOS', 'Their priority and their jobs.', [
          b.key('qos', 'QOS', [b.to('Queue and waits', 'queue', { qos: '${__value.text}' })]),
        ], [
          b.column('Priority', 'locale', fill('max by (@, qos) (slurm_qos_priority{@,%s})', where)),
          b.column('Running', 'locale', fill('sum by (@, qos) (slurm_qos_jobs{@,%s,state="running"})', where)),
          b.column('Pending', 'locale', fill('sum by (@, qos) (slurm_qos_jobs{@,%s,state="pending"})', where)),
          b.column('CPUs', 'locale', fill('sum by (@, qos) (slurm_qos_job_cpus{@,%s,state="running"})', where)),
        ], '-CPUs') + b.empty('No slurmdbd'),
      ]),
      b.row('Over time', 'No limits, or no slurmdbd', height=8, panels=[
        b.graph('CPUs by QOS', 'CPUs that running jobs hold.', 'short', [
          ['{{qos}}', fill('sum by (@, qos) (slurm_qos_job_cpus{@,%s,state="running"})', where)],
        ]) + b.empty('No jobs run') + b.stacked,
        b.graph('Used, of the limit of a QOS', 'Of limits for all jobs of a QOS.', 'percentunit', [
          ['{{qos}}: {{resource}}', fill('max by (@, qos, resource) (slurm_qos_usage{@,%s}) / (max by (@, qos, resource) (slurm_qos_limit{@,scope="group"}) > 0)', where)],
        ]),
        b.graph('Jobs that wait for a limit, by QOS', 'Pending jobs that a limit keeps from starting.', 'short', [
          ['{{qos}}', fill('sum by (@, qos) (slurm_qos_pending_jobs{@,%s,class="limit"})', where)],
        ]) + b.empty('No jobs wait') + b.stacked,
      ]),
      b.row('Accounts', 'No limits, or no slurmdbd', height=9, panels=[
        b.table('Limits for all jobs of an account or user', 'Group limits of associations and what jobs hold of them, an account with all below it. Those over time are on the dashboard Budgets, too.', [
          b.key('account', 'Account', [b.to('Users and accounts', 'users', { account: '${__value.text}' })]),
          b.key('user', 'User'),
          b.key('partition', 'Partition'),
          b.key('resource', 'Resource'),
        ], byUnit('Limit', 'max by (@, account, user, partition, resource) (slurm_association_limit{@,account=~"$account",scope="group",%s})') +
           byUnit('Used', 'max by (@, account, user, partition, resource) (slurm_association_usage{@,account=~"$account",%s}) and on (@, account, user, partition, resource) slurm_association_limit{@,scope="group"}') + [
          b.column('Part', 'percentunit', 'max by (@, account, user, partition, resource) (slurm_association_usage{@,account=~"$account"}) / (max by (@, account, user, partition, resource) (slurm_association_limit{@,scope="group"}) > 0)') + b.bar,
        ], '-Part') + b.wide(24),
        b.table('Limits per user of an account', 'What each user may have, the most that one has, and how many have reached it.', [
          b.key('account', 'Account', [b.to('Users and accounts', 'users', { account: '${__value.text}' })]),
          b.key('resource', 'Resource'),
        ], byUnit('Limit', 'max by (@, account, resource) (slurm_association_limit{@,account=~"$account",user="",scope="per_user",%s})') +
           byUnit('Largest use', 'max by (@, account, resource) (slurm_association_largest_usage{@,account=~"$account",scope="per_user",%s})') + [
          b.column('At the limit', 'short', 'max by (@, account, resource) (slurm_association_users_at_limit{@,account=~"$account",scope="per_user"})') + b.cellAbove('some'),
        ], '-At the limit') + b.wide(24),
      ]),
      b.row('Reservations', 'No reservations', height=7, collapsed=true, panels=[
        b.table('Reservations', 'When they are, what they hold, and what of it is in use.', [
          b.key('reservation', 'Reservation'),
          b.key('partition', 'Partition'),
          b.key('flags', 'Flags'),
        ], [
          b.column('is', 'short', 'max by (@, reservation, partition, flags) (slurm_reservation_info{@})') + b.cellHidden,
          b.column('Starts', 'dateTimeFromNow', '1000 * max by (@, reservation) (slurm_reservation_start_timestamp_seconds{@})'),
          b.column('Ends', 'dateTimeFromNow', '1000 * max by (@, reservation) (slurm_reservation_end_timestamp_seconds{@})'),
          b.column('Nodes', 'short', 'max by (@, reservation) (slurm_reservation_nodes{@})'),
          b.column('CPUs', 'short', 'max by (@, reservation) (slurm_reservation_cpus{@})'),
          b.column('CPUs in use', 'percentunit', 'max by (@, reservation) (slurm_reservation_cpus_allocated{@}) / (max by (@, reservation) (slurm_reservation_cpus{@}) > 0)') + b.bar,
        ], 'Starts') + b.wide(14),
        b.graph('CPUs in use', 'CPUs that jobs in active reservations hold, of those that these have.', 'percentunit', [
          ['{{reservation}}', |||
            max by (@, reservation) (slurm_reservation_cpus_allocated{@}) / (max by (@, reservation) (slurm_reservation_cpus{@}) > 0)
              and on (@, reservation) slurm_reservation_active{@} == 1
          |||],
        ]) + b.bounds(0, 1),
      ]),
      b.row('Licences', 'No licences', height=7, collapsed=true, panels=[
        b.bars('Used, of all', 'Licences that are used or reserved, of those that there are.', 'percentunit', [
          ['{{license}} {{nodes}}', 'sum by (@, license, nodes) (slurm_licenses{@,state=~"used|reserved"}) / (max by (@, license, nodes) (slurm_licenses_configured{@}) > 0)'],
        ]) + b.bounds(0, 1),
        b.graph('Used', 'Licences that jobs hold.', 'short', [
          ['{{license}} {{nodes}}', 'sum by (@, license, nodes) (slurm_licenses{@,state="used"})'],
        ]),
        b.graph('Free', 'Licences that are neither used nor reserved.', 'short', [
          ['{{license}} {{nodes}}', 'sum by (@, license, nodes) (slurm_licenses{@,state="free"})'],
        ]),
      ]),
    ],
  )
