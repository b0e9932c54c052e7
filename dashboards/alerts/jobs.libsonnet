local alert = import 'alert.libsonnet';
local fill = (import '../texts.libsonnet').fill;
local trimmed = (import '../texts.libsonnet').trimmed;

// Enough jobs ended, and surely more than the share failed.
local failing = |||
  %(level)s:%(metric)s_per_job_end:wilson_increase%(window)s > %(share)g
  and %(level)s:%(ends)s:increase%(window)s >= %(jobs)d
|||;

// Where few end in an hour, those of some hours are counted, and where these are too few, those of a day.
local failingOrOfDay = |||
  (
    %(level)s:%(metric)s_per_job_end:wilson_increase%(window)s > %(share)g
    and %(level)s:%(ends)s:increase%(window)s >= %(jobs)d
  )
  or (
    %(level)s:%(metric)s_per_job_end:wilson_increase%(hours)s > %(share)g
    and %(level)s:%(ends)s:increase%(hours)s >= %(fewJobs)d
    unless cluster_partition:%(ends)s:increase%(window)s >= %(jobs)d
  )
  or (
    %(level)s:%(metric)s_per_job_end:wilson_increase%(day)s > %(share)g
    and %(level)s:%(ends)s:increase%(day)s >= %(fewJobs)d
    unless cluster_partition:%(ends)s:increase%(hours)s >= %(fewJobs)d
  )
|||;

// More reach their limit than on the days before; where nothing is known of these, none did.
local moreThanUsual = |||
  unless on (%(c)s, partition)
    %(times)g * avg_over_time(cluster_partition:slurm_job_timeouts_per_job_end:ratio_increase%(day)s[%(usual)s] offset %(day)s) > %(share)g
|||;

local worstUser(metric) = fill(|||
  {{ range printf "topk(1, cluster_user:%(metric)s:increase%(window)s{%(c)s=%%%%q, user!=\"other\"})" $labels.%(c)s | query }}Most of a user in the cluster: {{ .Value | printf "%%%%.0f" }} of {{ .Labels.user }}.{{ end }}
|||, { metric: metric, window: '%(window)s', c: '%(c)s' });

local sacct(states, of) = fill(|||
  All of them: sacct -a -X -S %%(since)s -s %s %s -o JobID,User,NodeList,State,ExitCode
|||, [states, of]);

// Of partitions: without those of the users who have most.
local ofPartition(config, name, audience, kind, own, expr) =
  alert(config, name, audience, own {
    level: fill('cluster_partition_beside_%d_users', own.users),
    metric: kind.metric,
    ends: kind.ends,
    c: config.clusterLabel,
    day: config.jobFailures.day,
    since: if own.window == config.jobFailures.day then 'now-1days' else 'now-1hours',
    who: if own.users == 1 then 'the user with most' else fill('the %d users with most', own.users),
    span: if expr == failingOrOfDay then fill('%s, %s or %s', [own.window, own.hours, own.day]) else own.window,
  }, expr, fill('Many jobs of a partition %s.', kind.what), fill(|||
    At least {{ $value | humanizePercentage }} of the jobs of partition {{ $labels.partition }}%%(of)s %s in the last %%(span)s, without %%(who)s.
  |||, kind.did) + worstUser(kind.metric) + sacct(kind.states, '-r {{ $labels.partition }}'));

local failures = {
  metric: 'slurm_job_failures',
  ends: 'slurm_job_ends',
  what: 'fail',
  did: 'failed',
  states: 'F,NF,BF,OOM',
};
local timeouts = {
  metric: 'slurm_job_timeouts',
  ends: 'slurm_job_ends_or_timeouts',
  what: 'reach their time limit',
  did: 'reached their time limit',
  states: 'TO',
};

local mostly(config, name, level, entity, own, hint) =
  alert(config, name, 'user_support', own {
    level: level,
    metric: failures.metric,
    ends: failures.ends,
    window: config.jobFailures.window,
  }, failing, fill('Many jobs of %s %s fail.', [if entity == 'account' then 'an' else 'a', entity]), fill(|||
    At least {{ $value | humanizePercentage }} of the jobs of %(entity)s {{ $labels.%(entity)s }}%%(of)s failed in the last %%(window)s%(without)s: sacct %(hint)s -o JobID,%(column)s,NodeList,State,ExitCode
  |||, { entity: entity, hint: hint, without: if entity == 'account' then ', without the user with most' else '', column: if entity == 'account' then 'User' else 'JobName' }));

// A node that fails each job at once draws the next ones. Where many nodes fail jobs, the node is not the cause. Nor is it
// where the failures may be all one user's: an array fails wherever it runs. `other` are many nodes.
local ofTopUser = |||
  max by (%(c)s) (cluster_user:slurm_job_failures:increase%(window)s{user!="other"})
|||;
local blackHole(config, audience, relation, hint) =
  alert(config, 'SlurmBlackHoleNode', audience, config.blackHole {
    ends: config.jobFailures.window,
    c: config.clusterLabel,
  }, fill(|||
    cluster_node:slurm_node_job_failures:increase%%(window)s{node!="other"} >= %%(failures)d
    and on (%%(c)s)
      count by (%%(c)s) (cluster_node:slurm_node_job_failures:increase%%(window)s{node!="other"} >= %%(failures)d)
      <= clamp(%%(nodes)g * sum by (%%(c)s) (slurm_cluster_nodes{%%(s)s}), 1, %%(most)d)
    and on (%%(c)s)
      sum by (%%(c)s) (cluster_node:slurm_node_job_failures:increase%%(window)s)
      - sum by (%%(c)s) (cluster_node:slurm_node_job_failures:increase%%(window)s{node!="other"} >= %%(failures)d)
      < %%(othersFailing)g * sum by (%%(c)s) (increase(slurm_cluster_job_ends_total{state=~"%%(goodStates)s", %%(s)s}[%%(ends)s]))
    %s on (%%(c)s, node)
      cluster_node:slurm_node_job_failures:increase%%(window)s
      - on (%%(c)s) group_left () %s
      < %%(others)d
  |||, [relation, trimmed(ofTopUser)]), 'Jobs fail on one node, one after another.', |||
    {{ $value | printf "%%.0f" }} jobs failed on node {{ $labels.node }}%(of)s within %(window)s, while others are well.
  ||| + hint);

local burning(config, speed) =
  alert(config, 'SlurmWaitBudgetBurning', speed.audience, config.waitSlo + speed { share: speed.burn * config.waitSlo.budget }, |||
    cluster_partition:slurm_job_late_starts_per_start:ratio_rate%(long)s > %(share)g
    and cluster_partition:slurm_job_late_starts_per_start:ratio_rate%(short)s > %(share)g
    and cluster_partition:slurm_job_starts:increase%(long)s >= %(starts)d
  |||, 'Too many jobs wait too long for their start.', |||
    {{ $value | humanizePercentage }} of the jobs that started in the last %(long)s in partition {{ $labels.partition }}%(of)s had waited longer than its goal, and it goes on: squeue --start -p {{ $labels.partition }}
  |||);

{
  alerts(config)::
    local own = config.jobFailures;
    local limit = config.jobTimeouts;
    [
      ofPartition(config, 'SlurmPartitionJobsFailing', 'page', failures, own { share: own.critical }, failing),
      ofPartition(config, 'SlurmPartitionJobsFailing', 'ticket', failures, own { share: own.warning, users: 1 }, failingOrOfDay),
      ofPartition(config, 'SlurmPartitionJobsTimingOut', 'page', timeouts, limit { window: own.window, users: own.users }, failing + moreThanUsual),
      ofPartition(config, 'SlurmPartitionJobsTimingOut', 'ticket', timeouts, limit { window: own.day, users: 1 }, failing + moreThanUsual),
      alert(config, 'SlurmJobsLostToNodes', 'page', config.jobLosses { window: own.window }, |||
        sum by (%(c)s, partition) (increase(slurm_partition_job_ends_total{state=~"node_fail|boot_fail", %(s)s}[%(window)s])) >= %(jobs)d
        and
          sum by (%(c)s, partition) (increase(slurm_partition_job_ends_total{state=~"node_fail|boot_fail", %(s)s}[%(window)s]))
          > %(share)g * cluster_partition:slurm_job_ends:increase%(window)s
        unless on (%(c)s)
          count by (%(c)s) (cluster_node:slurm_node_job_losses:increase%(window)s > 0.5) < %(nodes)d
      |||, 'Jobs are lost to nodes that fail.', |||
        {{ $value | printf "%%.0f" }} jobs of partition {{ $labels.partition }}%(of)s ended in the last %(window)s because nodes failed: sacct -a -X -S now-1hours -s NF,BF -r {{ $labels.partition }} -o JobID,User,NodeList,State; sinfo -R
      |||),
      mostly(config, 'SlurmAccountJobsFailing', 'cluster_account_beside_1_users', 'account', config.accountJobFailures, '-a -X -S now-1hours -s F,NF,BF,OOM -A {{ $labels.account }}'),
      mostly(config, 'SlurmUserJobsFailing', 'cluster_user', 'user', config.userJobFailures, '-X -S now-1hours -s F,NF,BF,OOM -u {{ $labels.user }}'),

      blackHole(config, 'page', 'unless', |||
        Look at them, then drain it: sacct -a -X -S now-1hours -N {{ $labels.node }} -s F,NF,BF; scontrol update NodeName={{ $labels.node }} State=DRAIN Reason="jobs fail"
      |||),
      blackHole(config, 'ticket', 'and', |||
        They may be all one user's, so it may be the jobs.
      ||| + worstUser(failures.metric) + |||
        Look at them: sacct -a -X -S now-1hours -N {{ $labels.node }} -s F,NF,BF
      |||),
      alert(config, 'SlurmNodeJobsFailing', 'ticket', config.nodeFailures { day: own.day }, |||
        cluster_node:slurm_node_job_failures:increase%(day)s{node!="other"} >= %(failures)d
        and on (%(c)s, node)
          cluster_node:slurm_node_job_failures:increase%(day)s
          > on (%(c)s) group_left () %(share)g * sum by (%(c)s) (cluster_node:slurm_node_job_failures:increase%(day)s)
        unless on (%(c)s, node)
          cluster_node:slurm_node_job_failures:increase%(day)s
          - on (%(c)s) group_left () max by (%(c)s) (cluster_user:slurm_job_failures:increase%(day)s{user!="other"})
          < %(others)d
      |||, 'Most of the jobs that fail do so on one node.', |||
        {{ $value | printf "%%.0f" }} jobs failed on node {{ $labels.node }}%(of)s within %(day)s, more than on all others: sacct -a -X -S now-1days -N {{ $labels.node }} -s F,NF,BF
      |||),

      burning(config, config.waitSlo.fast),
      burning(config, config.waitSlo.slow),

      // What never starts is in no histogram of starts. A job that was held, or waited for another one, is old when its turn comes.
      alert(config, 'SlurmJobStarving', 'user_support', config.starving, |||
        time() - min by (%(c)s, partition) (slurm_partition_oldest_pending_timestamp_seconds{class="startable", %(s)s}) > %(seconds)d
        and
          min by (%(c)s, partition) (slurm_partition_oldest_pending_timestamp_seconds{class="startable", %(s)s})
          == min by (%(c)s, partition) (slurm_partition_oldest_pending_timestamp_seconds{class="startable", %(s)s} offset %(startable)s)
        unless on (%(c)s)
          count by (%(c)s) (time() - min by (%(c)s, user) (slurm_user_oldest_pending_timestamp_seconds{class="startable", %(s)s}) > %(seconds)d)
          < on (%(c)s) clamp_max(count by (%(c)s) (count by (%(c)s, user) (slurm_user_oldest_pending_timestamp_seconds{class="startable", %(s)s})), %(users)d)
      |||, 'A job that could start has waited for days.', |||
        The longest waiting job of partition {{ $labels.partition }}%(of)s that waits only for its turn was submitted {{ $value | humanizeDuration }} ago. %(startable)s ago it already waited for its turn: squeue -p {{ $labels.partition }} -t PD -S V -o "%%i %%u %%V %%Q %%r %%D %%C"
      |||),

      // As many nodes are free as the largest of the waiting jobs wants: even it should start. Where GPUs differ, those that are
      // free may be others than it wants. It may want a constraint, too, so this wakes nobody.
      alert(config, 'SlurmQueueStalled', 'ticket', config.queueStalled, |||
        sum by (%(c)s, partition) (slurm_partition_pending_jobs{reason=~"%(startableReasons)s", %(s)s}) > 0
        and on (%(c)s, partition)
          max by (%(c)s, partition) (slurm_partition_nodes_free{%(s)s})
          >= on (%(c)s, partition) (max by (%(c)s, partition) (slurm_partition_pending_job_max_nodes{%(s)s}) > 0)
        and on (%(c)s, partition)
          sum by (%(c)s, partition) (increase(slurm_partition_job_starts_total{%(s)s}[%(window)s])) == 0
        and on (%(c)s, partition)
          max by (%(c)s, partition) (slurm_partition_state{state="up", %(s)s}) == 1
        unless on (%(c)s, partition)
          count by (%(c)s, partition) (count by (%(c)s, partition, type) (slurm_partition_gres{gres="gpu", %(s)s})) > 1
      |||, 'Nodes are free, jobs could start, and none does.', |||
        {{ $value | printf "%%.0f" }} jobs of partition {{ $labels.partition }}%(of)s wait only for their turn, and none started for %(window)s. There are as many free nodes as the largest asks for: squeue -p {{ $labels.partition }} -t PD --start; sdiag
      |||),

      alert(config, 'SlurmJobsBlockedByLimit', 'user_support', config.blockedByLimit, |||
        sum by (%(c)s) (slurm_cluster_pending_jobs{reason=~"(QOS|Assoc|Max.*PerAccount).*", %(s)s}) >= %(jobs)d
        and
          sum by (%(c)s) (slurm_cluster_cpus{state="idle", %(s)s}) / sum by (%(c)s) (slurm_cluster_cpus{%(s)s}) > %(idle)g
      |||, 'CPUs are idle while limits hold jobs back.', |||
        {{ $value | printf "%%.0f" }} jobs%(of)s wait for a limit of their QOS or account while more than {{ humanizePercentage %(idle)g }} of the CPUs are idle. By reason: squeue -a -r -t PD -h -o %%r | sort | uniq -c
      |||),

      alert(config, 'SlurmJobsHeldAfterFailure', 'ticket', config.launchFailed, |||
        sum by (%(c)s) (
          slurm_cluster_jobs_flagged{flag="launch_failed", %(s)s}
          or slurm_cluster_pending_jobs{reason="JobHoldMaxRequeue", %(s)s}
        ) > 0
      |||, 'Slurm holds jobs that it could not launch.', |||
        {{ $value | printf "%%.0f" }} jobs%(of)s could not be launched and are held: a prolog failed, or they were requeued too often. squeue -a -t PD -o "%%i %%u %%r %%N" | grep -i -e launch -e requeue
      |||),
      alert(config, 'SlurmPartitionNotUp', 'ticket', config.partitionNotUp, |||
        max by (%(c)s, partition) (slurm_partition_state{state!="up", %(s)s}) == 1
        and on (%(c)s, partition)
          sum by (%(c)s, partition) (slurm_partition_jobs{state="pending", %(s)s}) > 0
      |||, 'A partition is closed, and jobs wait for it.', |||
        Partition {{ $labels.partition }}%(of)s has not been up for %(for)s, and jobs wait for it: scontrol show partition {{ $labels.partition }}
      |||),
    ],
}
