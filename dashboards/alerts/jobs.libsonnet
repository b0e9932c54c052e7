local alert = import 'alert.libsonnet';

// Enough jobs ended, and surely more than the share failed.
local failing = |||
  %(level)s:slurm_job_failures_per_job_end:wilson_increase%(window)s > %(share)g
  and %(level)s:slurm_job_ends:increase%(window)s >= %(jobs)d
|||;

// One user may be the reason for all of it.
local inPartition = |||
  {{ range printf "topk(1, cluster_user:slurm_job_failures:increase%(window)s{%(c)s=%%q})" $labels.%(c)s | query }}Most failures of a user in the cluster: {{ .Value | printf "%%.0f" }} of {{ .Labels.user }}.{{ end }} All of them: sacct -a -X -S now-1hours -s F,NF,BF,OOM -r {{ $labels.partition }} -o JobID,User,NodeList,State,ExitCode
|||;

local failures(config, name, severity, entity, own, share, hint) =
  local numbers = own {
    level: 'cluster_' + entity,
    entity: entity,
    share: share,
    window: config.jobFailures.window,
    c: config.clusterLabel,
  };
  alert(config, name, severity, numbers, failing, 'Many jobs of %s %s fail.' % [if entity == 'account' then 'an' else 'a', entity], |||
    At least {{ $value | humanizePercentage }} (a lower bound) of the jobs of %(entity)s {{ $labels.%(entity)s }}%(of)s that ended in the last %(window)s failed.
  ||| + hint);

local burning(config, severity, speed) =
  alert(config, 'SlurmWaitBudgetBurning', severity, config.waitSlo + speed { share: speed.burn * config.waitSlo.budget }, |||
    cluster_partition:slurm_job_late_starts_per_start:ratio_rate%(long)s > %(share)g
    and cluster_partition:slurm_job_late_starts_per_start:ratio_rate%(short)s > %(share)g
    and cluster_partition:slurm_job_starts:increase%(long)s >= %(starts)d
  |||, 'Too many jobs wait too long for their start.', |||
    {{ $value | humanizePercentage }} of the jobs that started in the last %(long)s in partition {{ $labels.partition }}%(of)s had waited longer than {{ humanizeDuration %(seconds)d.0 }}, and it goes on: squeue --start -p {{ $labels.partition }}
  |||);

{
  alerts(config):: [
    failures(config, 'SlurmPartitionJobsFailing', 'critical', 'partition', config.jobFailures, config.jobFailures.critical, inPartition),
    failures(config, 'SlurmPartitionJobsFailing', 'warning', 'partition', config.jobFailures, config.jobFailures.warning, inPartition),
    failures(config, 'SlurmAccountJobsFailing', 'warning', 'account', config.accountJobFailures, config.accountJobFailures.warning, |||
      sacct -a -X -S now-1hours -s F,NF,BF,OOM -A {{ $labels.account }} -o JobID,User,NodeList,State,ExitCode
    |||),
    failures(config, 'SlurmUserJobsFailing', 'info', 'user', config.userJobFailures, config.userJobFailures.info, |||
      sacct -X -S now-1hours -s F,NF,BF,OOM -u {{ $labels.user }} -o JobID,JobName,NodeList,State,ExitCode
    |||),

    // A node that fails each job at once draws the next ones. Where many nodes fail jobs it is not the node.
    alert(config, 'SlurmBlackHoleNode', 'critical', config.blackHole { ends: config.jobFailures.window }, |||
      cluster_node:slurm_node_job_failures:increase%(window)s >= %(failures)d
      and on (%(c)s)
        count by (%(c)s) (cluster_node:slurm_node_job_failures:increase%(window)s >= %(failures)d)
        <= clamp_min(%(nodes)g * sum by (%(c)s) (slurm_cluster_nodes{%(s)s}), 1)
      and on (%(c)s)
        sum by (%(c)s) (cluster_node:slurm_node_job_failures:increase%(window)s)
        - sum by (%(c)s) (cluster_node:slurm_node_job_failures:increase%(window)s >= %(failures)d)
        < %(othersFailing)g * sum by (%(c)s) (increase(slurm_cluster_job_ends_total{state=~"%(goodStates)s", %(s)s}[%(ends)s]))
    |||, 'Jobs fail on one node, one after another.', |||
      {{ $value | printf "%%.0f" }} jobs failed on node {{ $labels.node }}%(of)s within %(window)s, while others are well. Look at them, then drain it: sacct -a -X -S now-1hours -N {{ $labels.node }} -s F,NF,BF; scontrol update NodeName={{ $labels.node }} State=DRAIN Reason="jobs fail"
    |||),

    burning(config, 'critical', config.waitSlo.fast),
    burning(config, 'warning', config.waitSlo.slow),

    // What never starts is in no histogram of starts.
    alert(config, 'SlurmJobStarving', 'warning', config.starving, |||
      time() - min by (%(c)s, partition) (slurm_partition_oldest_pending_timestamp_seconds{class="startable", %(s)s}) > %(seconds)d
    |||, 'A job that could start has waited for days.', |||
      The longest waiting job of partition {{ $labels.partition }}%(of)s that waits for nothing but its turn was submitted {{ $value | humanizeDuration }} ago: squeue -p {{ $labels.partition }} -t PD -S V -o "%%i %%u %%V %%Q %%r %%D %%C"
    |||),

    // As many nodes are free as the largest of the waiting jobs wants: even it should start.
    alert(config, 'SlurmQueueStalled', 'warning', config.queueStalled, |||
      sum by (%(c)s, partition) (slurm_partition_pending_reason_jobs{reason=~"%(startableReasons)s", %(s)s}) > 0
      and on (%(c)s, partition)
        sum by (%(c)s, partition) (slurm_partition_nodes{state="idle", %(s)s})
        - (
          sum by (%(c)s, partition) (slurm_partition_nodes_flagged{flag=~"drained|maint|reserved|planned|powering_down", %(s)s})
          or 0 * sum by (%(c)s, partition) (slurm_partition_nodes{state="idle", %(s)s})
        )
        >= on (%(c)s, partition) (max by (%(c)s, partition) (slurm_partition_pending_job_max_nodes{%(s)s}) > 0)
      and on (%(c)s, partition)
        sum by (%(c)s, partition) (increase(slurm_partition_job_starts_total{%(s)s}[%(window)s])) == 0
      and on (%(c)s, partition)
        max by (%(c)s, partition) (slurm_partition_state{state="up", %(s)s}) == 1
    |||, 'Nodes are free, jobs could start, and none does.', |||
      {{ $value | printf "%%.0f" }} jobs of partition {{ $labels.partition }}%(of)s wait for nothing but their turn, there are as many free nodes as the largest wants, and none started for %(window)s: squeue -p {{ $labels.partition }} -t PD --start; sdiag
    |||),

    alert(config, 'SlurmJobsBlockedByLimit', 'info', config.blockedByLimit, |||
      sum by (%(c)s) (slurm_cluster_pending_reason_jobs{reason=~"(QOS|Assoc|Max.*PerAccount).*", %(s)s}) >= %(jobs)d
      and
        sum by (%(c)s) (slurm_cluster_cpus{state="idle", %(s)s}) / sum by (%(c)s) (slurm_cluster_cpus{%(s)s}) > %(idle)g
    |||, 'CPUs are idle while limits hold jobs back.', |||
      {{ $value | printf "%%.0f" }} jobs%(of)s wait for a limit of their QOS or account while more than {{ humanizePercentage %(idle)g }} of the CPUs are idle. By reason: squeue -a -r -t PD -h -o %%r | sort | uniq -c
    |||),
  ],
}
