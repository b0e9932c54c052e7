// Tables with a row for each job that has one in slurmscope. `where` selects from a family with the jobs' labels, and begins
// with a comma.
local whose = 'name, user, account, partition, qos';
local job = '(@, jobid)';

local reasons = import '../reasons.json';
local fill = (import '../texts.libsonnet').fill;
local trimmed = (import '../texts.libsonnet').trimmed;

function(b) {
  local ids = [
    b.key('jobid', 'Job', [b.to('This job', 'job', { jobid: '${__value.text}' })]),
    b.key('array_job_id', 'Array'),
    b.key('array_task_id', 'Task'),
    b.key('name', 'Name'),
  ],
  local keys = ids + [
    b.key('user', 'User', [b.to('Jobs of this user', 'joblist', { user: '${__value.text}' }), b.to('Users and accounts', 'users', { user: '${__value.text}' })]),
    b.key('account', 'Account', [b.to('Jobs of this account', 'joblist', { account: '${__value.text}' }), b.to('Users and accounts', 'users', { account: '${__value.text}' })]),
    b.key('partition', 'Partition'),
    b.key('qos', 'QOS'),
  ],
  local labelled(more, expr) = fill('max by (@, jobid, array_job_id, array_task_id, %s%s) (%s)', [whose, more, expr]),
  local each(family) = fill('max by %s (%s)', [job, family]),
  local and_on(expr, of) = fill('%s\n  and on %s %s', [expr, job, of]),

  // A waiting job may name several partitions and QOS.
  among(label):: fill(',%s=~"(.*,)?($%s)(,.*)?"', [label, label]),

  // What reasons mean and what helps; expressions have to be inWords().
  words: b.keyInWords('words', 'What it means, and what helps', reasons),
  inWords(expr): b.inWords('words', 'reason', expr),

  // Those that hold nodes.
  holds(where):: labelled('', fill('slurm_job_info{@%s}', where)),
  // Of them those on the nodes chosen; of all nodes, those whose nodes have no rows, too.
  onNodes(expr):: fill(|||
    %s
      and on %s (slurm_job_node_info{@,node=~"$node"} or on %s (slurm_job_info{@} unless on () slurm_job_node_info{@,node!~"$node"}))
  |||, [expr, job, job]),
  waits(where):: labelled(', reason, class', fill('slurm_pending_job_info{@%s}', where)),
  // In the time shown, the latest.
  ended(where)::
    and_on(labelled(', state, exit_code, signal, failed_node', fill('last_over_time(slurm_ended_job_info{@%s}[$__range])', where)),
           fill('topk(%d, %s)', [b.config.boards.jobs, and_on(each('last_over_time(slurm_ended_job_end_timestamp_seconds{@}[$__range])'), fill('last_over_time(slurm_ended_job_info{@%s}[$__range])', where))])),

  local columnsOf(those) = {
    local column(title, unit, expr) = b.column(title, unit, and_on(expr, those)),
    of: column,
    each(title, unit, family, factor=''): column(title, unit, factor + each(fill('slurm_%s{@}', family))),
    last(title, unit, family, factor=''): column(title, unit, factor + each(fill('last_over_time(slurm_%s{@}[$__range])', family))),
  },

  holding(title, description, those)::
    local column = columnsOf(those);
    b.table(title, description, keys + [b.key('state', 'State')], [
      b.column('is', 'short', fill(|||
        %s
          * on %s group_left (state) topk by %s (1, max by (@, jobid, state) (slurm_job_state{@}))
      |||, [fill('(%s)', trimmed(those)), job, job])) + b.cellHidden,
      column.of('Runs for', 's', 'time() - ' + each('slurm_job_start_timestamp_seconds{@}')),
      column.of('Time left', 's', fill('%s + %s - time()', [each(fill('slurm_job_%s_seconds{@}', what)) for what in ['start_timestamp', 'time_limit']])) + b.cellBelow('timeLeft'),
      column.each('CPUs', 'locale', 'job_allocated_cpus'),
      column.each('Memory', 'bytes', 'job_allocated_memory_bytes'),
      column.of('Nodes', 'locale', fill('count by %s (max by (@, jobid, node) (slurm_job_node_info{@}))', job)),
      column.of('GPUs', 'locale', fill('sum by %s (max by (@, jobid, type) (slurm_job_allocated_gres{@,gres="gpu"}))', job)),
      column.of('CPUs used', 'percentunit', each('slurm:job:cpu_efficiency_ratio{^}')) + b.cellBelow('use'),
    ], '-CPUs') + b.empty('No such job holds nodes, or none has a row (--jobs.rows)'),

  local requested(family) = each(fill('slurm_pending_job_requested_%s{@}', family)),
  // Of those that could start and name one partition: how many come first. From the eleventh on it is rounded down, so that it
  // is never too much. (PromQL compares no two jobs: the place follows from the smallest number of first ones that it is among.)
  local first = fill(|||
    max by (@, jobid, partition) (slurm_pending_job_info{@,class="startable",partition!~".*,.*"})
      * on %s group_left () %s
  |||, [job, each('slurm_job_priority{@}')]),
  local place = fill('max by %s (%s)', [job, std.join('\nor ', [
    fill('0 * topk by (@, partition) (%d, %s) + %d', [k[0], trimmed(first), k[1]])
    for k in [[i, i] for i in std.range(1, 10)] + [[20, 11], [50, 21], [100, 51], [200, 101]]
  ])]),
  place(those): columnsOf(those).of('Place, at least', 'locale', place),

  waiting(title, description, those, more=[], inWords=false)::
    local column = columnsOf(those);
    b.table(title, description, keys + [b.key('reason', 'Reason', [b.to('Waiting', 'waiting')]), b.key('class', 'Class')] + (if inWords then [self.words] else []), [
      b.column('is', 'short', if inWords then self.inWords(those) else those) + b.cellHidden,
      column.each('Submitted', 'dateTimeFromNow', 'job_submit_timestamp_seconds', '1000 * '),
      column.each('Eligible', 'dateTimeFromNow', 'job_eligible_timestamp_seconds', '1000 * '),
      column.each('Forecast start', 'dateTimeFromNow', 'pending_job_expected_start_timestamp_seconds', '1000 * '),
      column.each('Priority', 'locale', 'job_priority'),
    ] + more + [
      column.each('Tasks', 'locale', 'pending_job_tasks'),
      column.of('CPUs', 'locale', requested('cpus')),
      column.of('Memory', 'bytes', requested('memory_bytes')),
      column.of('Nodes', 'locale', requested('nodes')),
      column.of('GPUs', 'locale', fill('sum by %s (max by (@, jobid, type) (slurm_pending_job_requested_gres{@,gres="gpu"}))', job)),
      column.each('Time limit', 's', 'job_time_limit_seconds'),
    ], 'Submitted') + b.empty('No such job waits, or none has a row (--jobs.pending-rows)'),

  local last(family) = each(fill('last_over_time(slurm_ended_job_%s{@}[$__range])', family)),
  ending(title, description, those)::
    local column = columnsOf(those);
    b.table(title, description, keys + [
      b.key('state', 'State'),
      b.key('exit_code', 'Exit code'),
      b.key('signal', 'Signal'),
      b.key('failed_node', 'Failed node', [b.to('Nodes', 'nodes', { node: '${__value.text}' })]),
    ], [
      b.column('is', 'short', those) + b.cellHidden,
      column.last('Ended', 'dateTimeFromNow', 'ended_job_end_timestamp_seconds', '1000 * '),
      column.of('Waited', 's', fill('%s - %s', [last('start_timestamp_seconds'), last('eligible_timestamp_seconds')])),
      column.last('Ran', 's', 'ended_job_run_seconds'),
      column.of('Of its time limit', 'percentunit', fill('%s / (%s > 0)', [last('run_seconds'), last('time_limit_seconds')])),
      column.last('CPUs', 'locale', 'ended_job_allocated_cpus'),
      column.of('CPUs used', 'percentunit', fill('%s / (%s * %s > 0)', [last('used_cpu_seconds'), last('allocated_cpus'), last('run_seconds')])) + b.cellBelow('efficiency'),
      column.of('Memory used', 'percentunit', fill('%s / (%s > 0)', [last('peak_memory_bytes'), last('allocated_memory_bytes')])) + b.cellBelow('efficiency'),
      column.last('Energy', 'kwatth', 'ended_job_energy_joules', '1 / 3.6e6 * '),
    ], '-Ended') + b.empty('No such job ended, none has a row (--jobs.ended-rows), or no slurmdbd'),

  // How many of a kind are shown, and how many have no row.
  shown(title, description, those, family)::
    local left = fill('sum(slurmscope_series_folded{@,family="%s"})', family);
    b.stat(title, description + ' Without a row: jobs that are too small to be among those that slurmscope shows, whosever they are. An array’s rest has one row.', 'locale', [
      ['shown', fill('count(%s) or 0 * %s', [those, left])],
      ['without a row', left],
    ]) + b.empty('No rows of jobs'),
}
