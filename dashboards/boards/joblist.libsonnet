local fill = (import '../texts.libsonnet').fill;
local owner = ',user=~"$user",account=~"$account"';

function(b)
  local rows = (import 'rows.libsonnet')(b);
  local holds = rows.onNodes(rows.holds(owner + ',partition=~"$partition",qos=~"$qos"'));
  local waits = rows.waits(owner + rows.among('partition') + rows.among('qos'));
  local ended = rows.ended(owner + rows.among('partition') + rows.among('qos') + ',failed_node=~"$node",state=~"$end"');
  b.board(
    'joblist',
    'Jobs',
    'The largest jobs one by one: those that hold nodes, those that wait, and those that ended. How many there are in all is on other dashboards.',
    variables=[
      b.variable('user', 'User', 'slurm_user_job_cpus{@}'),
      b.variable('account', 'Account', 'slurm_account_job_cpus{@}'),
      b.variable('partition', 'Partition', 'slurm_partition_info{@}'),
      b.variable('qos', 'QOS', 'slurm_qos_jobs{@}'),
      b.variable('node', 'Node', 'slurm_job_node_info{@}'),
      b.choice('end', 'Ended as', [
        ['failures', b.failed + '|timeout|deadline'],
        ['any', '.*'],
      ] + [[state, state] for state in ['completed', 'cancelled', 'timeout', 'failed', 'out_of_memory', 'node_fail', 'boot_fail', 'deadline', 'preempted']]),
    ],
    time='now-24h',
    rows=[
      b.row('Jobs with rows, of those chosen', 'No rows of jobs', height=4, panels=[
        rows.shown('Hold nodes', 'Jobs that are shown below.', holds, 'slurm_job_info'),
        rows.shown('Wait', 'Jobs that are shown below.', waits, 'slurm_pending_job_info') + b.links([b.to('Queue and waits', 'queue')]),
        rows.shown('Ended', 'Jobs that are shown below, of the time shown.', ended, 'slurm_ended_job_info') + b.links([b.to('Jobs and failures', 'jobs')]),
      ]),
      b.row('Jobs', 'No jobs', height=11, panels=[
        rows.holding('Jobs that hold nodes', 'What each job holds, and how well an exporter on its nodes says that it uses its CPUs.', holds) + b.wide(24),
        rows.waiting('Jobs that wait', 'Why each job waits, and what it asks for: each of its tasks, if it is an array’s rest. A job that waits has no nodes.', waits) + b.wide(24),
        rows.ending('Jobs that ended', fill('How each job ended in the time shown, and what it used; the latest %d. If nodes are chosen: those that failed on them.', b.config.boards.jobs), ended) + b.wide(24),
      ]),
    ],
  )
