local fill = (import '../texts.libsonnet').fill;
local where = ',partition=~"$partition",qos=~"$qos"';

function(b)
  local slo = b.config.waitSlo;
  local long(seconds) = if seconds < 3600 then fill('%g minutes', (seconds / 60)) else fill('%g hours', (seconds / 3600));
  // and of partitions with a goal of their own
  local own = [
    fill('%s: %s', [name, if slo.partitions[name] == null then 'no goal' else long(slo.partitions[name])])
    for name in std.objectFields(slo.partitions)
  ];
  local hours = long(slo.seconds) + if own == [] then '' else fill(' (%s)', std.join(', ', own));
  local ofQOS = ' If QOS are chosen: of these, in all partitions.';
  // As recorded, of a partition.
  local wait(what) = b.chosen(fill('max by (@, partition) (cluster_partition:slurm_partition_job_eligible_wait_seconds:%s_rate1h{^,partition=~"$partition"})', what), [
    ['qos', fill('max by (@, partition) (cluster_partition_qos:slurm_partition_job_eligible_wait_seconds:%s_rate1h{^%s})', [what, where])],
  ]);
  b.board(
    'queue',
    'Queue and waits',
    'How long jobs wait, in which partition and QOS, and what for.',
    variables=[
      b.variable('partition', 'Partition', 'slurm_partition_info{@}'),
      b.variable('qos', 'QOS', 'slurm_qos_jobs{@}'),
    ],
    annotations=[b.restarts, b.drains],
    rows=[
      b.row('Now', 'No jobs wait', height=4, panels=[
        b.stat('Pending', 'Jobs that wait, in all or in the partitions chosen; of several chosen a job that names two counts in each.' + ofQOS, 'short', [
          ['jobs', b.chosen('sum(slurm_cluster_jobs{@,state="pending"})', [
            ['partition', 'sum(slurm_partition_jobs{@,partition=~"$partition",state="pending"})'],
            ['qos', 'sum(slurm_qos_jobs{@,qos=~"$qos",state="pending"})'],
          ])],
        ]),
        b.stat('Oldest startable job', 'How long the longest waiting job that nothing but resources or priority keeps from starting has waited since its submission.' + ofQOS, 's', [
          ['age', b.chosen('time() - min(slurm_partition_oldest_pending_timestamp_seconds{@,partition=~"$partition",class="startable"})', [
            ['qos', 'time() - min(slurm_qos_oldest_pending_timestamp_seconds{@,qos=~"$qos",class="startable"})'],
          ])],
        ]) + b.empty('None waits'),
        b.stat('Wait, median', 'Half of the jobs that started in the time shown had waited at most so long since they were eligible.', 's', [
          ['P50', b.waitQuantile(0.5, '', where)],
        ]) + b.empty('No starts'),
        b.stat('Wait, P95', '95 of 100 jobs that started in the time shown had waited at most so long since they were eligible.', 's', [
          ['P95', b.waitQuantile(0.95, '', where)],
        ]) + b.empty('No starts'),
        b.stat('Since submission, P95', 'The same since they were submitted: what users feel, dependencies, holds and begin times included.', 's', [
          ['P95', b.waitQuantile(0.95, '', where, 'slurm_partition_job_submit_wait_seconds')],
        ]) + b.empty('No starts'),
        b.stat('Asked for, of what is idle', 'CPUs that pending jobs ask for, divided by idle CPUs, in all or the chosen partitions. What is in two chosen partitions counts in each. Empty while no CPU is idle.' + ofQOS, 'short', [
          ['times', b.chosen(
            'sum(slurm_cluster_job_cpus{@,state="pending"}) / (sum(slurm_cluster_cpus{@,state="idle"}) > 0)',
            [
              ['partition', 'sum(slurm_partition_job_cpus{@,partition=~"$partition",state="pending"}) / (sum(slurm_partition_cpus{@,partition=~"$partition",state="idle"}) > 0)'],
              ['qos', 'sum(slurm_qos_job_cpus{@,qos=~"$qos",state="pending"}) / (sum(slurm_cluster_cpus{@,state="idle"}) > 0)'],
            ],
          )],
        ]) + b.empty('No CPU is idle'),
      ]),
      b.row('Waits', 'No jobs started', height=8, panels=[
        b.graph('Wait by partition, P95', 'From eligible to started, of the jobs that started in the last hour; of several QOS chosen, the slowest.', 's', [
          ['{{partition}}', wait('p95')],
        ]),
        b.graph('Wait by partition, median', 'From eligible to started, of the jobs that started in the last hour; of several QOS chosen, the slowest.', 's', [
          ['{{partition}}', wait('p50')],
        ]),
        b.graph('Wait by QOS, P95', 'From eligible to started, of the jobs that started in the last hour; of several partitions chosen, the slowest.', 's', [
          ['{{qos}}', b.chosen('max by (@, qos) (cluster_qos:slurm_partition_job_eligible_wait_seconds:p95_rate1h{^,qos=~"$qos"})', [
            ['partition', fill('max by (@, qos) (cluster_partition_qos:slurm_partition_job_eligible_wait_seconds:p95_rate1h{^,%s})', where[1:])],
          ])],
        ]),
        b.heatmap('Waits',
                  'Jobs that started, by how long they had waited since they were eligible.',
                  's',
                  fill('sum by (le) (increase(slurm_partition_job_eligible_wait_seconds_bucket{@%s}[$__rate_interval]))', where)) + b.wide(12),
        b.heatmap('Waits since submission',
                  'Jobs that started, by how long they had waited since their submission.',
                  's',
                  fill('sum by (le) (increase(slurm_partition_job_submit_wait_seconds_bucket{@%s}[$__rate_interval]))', where)) + b.wide(12),
      ]),
      b.row('Service level: starts within ' + hours, 'No jobs started', height=7, panels=[
        b.stat('Budget burnt', fill('How fast the worst partition uses up the budget of late starts (%g %%). If it stays above 1, the goal is missed.', (100 * slo.budget)), 'short', [
          [window, b.lateBurn(window, ',partition=~"$partition"')]
          for window in [slo.fast.long, slo.slow.long]
        ]) + b.above('burn') + b.wide(4),
        b.graph('Late starts by partition', fill('Share of the starts in the last %s that came later than %s after the jobs were eligible.', [slo.fast.long, hours]), 'percentunit', [
          ['{{partition}}', fill('max by (@, partition) (cluster_partition:slurm_job_late_starts_per_start:ratio_rate%s{^,partition=~"$partition"})', slo.fast.long)],
        ]) + b.wide(10),
        b.graph('Budget burnt over time', 'How fast the worst partition uses up the budget of late starts, over several windows. Above 1 it is faster than the goal allows.', 'short', [
          [window, b.lateBurn(window, ',partition=~"$partition"')]
          for window in [slo.fast.short, slo.slow.short, slo.fast.long, slo.slow.long]
        ]) + b.wide(10),
      ]),
      b.row('What they wait for', 'No jobs wait', height=8, panels=[
        b.graph('Reasons', "Pending jobs by Slurm's reason, in all or of the partitions or QOS chosen; the eight most frequent in the time shown.", 'short', [
          ['{{reason}}', b.chosen(
            b.most(8, '(reason)', 'slurm_cluster_pending_jobs{@}'),
            [
              ['partition', b.most(8, '(reason)', 'slurm_partition_pending_jobs{@,partition=~"$partition"}')],
              ['qos', b.most(8, '(reason)', 'slurm_qos_pending_jobs{@,qos=~"$qos"}')],
            ],
          )],
        ]) + b.stacked,
        b.graph('By class', 'Pending jobs, in all or of the partitions or QOS chosen. Startable ones wait for resources or priority; the others wait for users, other jobs, limits or something else.', 'short', [
          ['{{class}}', b.chosen('sum by (class) (slurm_cluster_pending_jobs{@})', [
            ['partition', 'sum by (class) (slurm_partition_pending_jobs{@,partition=~"$partition"})'],
            ['qos', 'sum by (class) (slurm_qos_pending_jobs{@,qos=~"$qos"})'],
          ])],
        ]) + b.stacked,
        b.graph('Age of the oldest by class', "How long each class's oldest job has waited since its submission." + ofQOS, 's', [
          ['{{class}}', b.chosen('time() - min by (class) (slurm_partition_oldest_pending_timestamp_seconds{@,partition=~"$partition"})', [
            ['qos', 'time() - min by (class) (slurm_qos_oldest_pending_timestamp_seconds{@,qos=~"$qos"})'],
          ])],
        ]),
      ]),
      b.row('Partitions and QOS', 'No jobs', height=8, panels=[
        b.table('Partitions', 'What waits in each partition, for how long, and how long those that started had waited.', [
          b.key('partition', 'Partition', [b.to('Partitions', 'partitions', { partition: '${__value.text}' })]),
        ], [
          b.column('Pending', 'short', 'sum by (@, partition) (slurm_partition_jobs{@,partition=~"$partition",state="pending"})'),
          b.column('CPUs asked for', 'short', 'sum by (@, partition) (slurm_partition_job_cpus{@,partition=~"$partition",state="pending"})'),
          b.column('CPUs idle', 'short', 'sum by (@, partition) (slurm_partition_cpus{@,partition=~"$partition",state="idle"})'),
          b.column('Oldest startable', 's', 'time() - min by (@, partition) (slurm_partition_oldest_pending_timestamp_seconds{@,partition=~"$partition",class="startable"})'),
          b.column('Most nodes asked for', 'short', 'max by (@, partition) (slurm_partition_pending_job_max_nodes{@,partition=~"$partition"})'),
          b.column('Median', 's', b.waitQuantile(0.5, 'partition', where)),
          b.column('P95', 's', b.waitQuantile(0.95, 'partition', where)),
        ], '-Pending') + b.wide(14),
        b.table('QOS', 'What waits in each QOS, for how long, and how long those that started had waited.', [b.key('qos', 'QOS', [b.to('QOS, reservations, licences', 'limits', { qos: '${__value.text}' })])], [
          b.column('Pending', 'short', 'sum by (@, qos) (slurm_qos_jobs{@,qos=~"$qos",state="pending"})'),
          b.column('Oldest startable', 's', 'time() - min by (@, qos) (slurm_qos_oldest_pending_timestamp_seconds{@,qos=~"$qos",class="startable"})'),
          b.column('Median', 's', b.waitQuantile(0.5, 'qos', where)),
          b.column('P95', 's', b.waitQuantile(0.95, 'qos', where)),
        ], '-Pending'),
      ]),
    ],
  )
