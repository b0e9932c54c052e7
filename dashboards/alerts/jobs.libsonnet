local alert = import 'alert.libsonnet';

// Enough jobs ended, and surely more than the share failed.
local failing = |||
  %(level)s:slurm_job_failures_per_job_end:wilson_increase%(window)s > %(share)g
  and %(level)s:slurm_job_ends:increase%(window)s >= %(jobs)d
|||;

// Failures in the cluster without those of the user who has most. Where there are hardly any, nobody is paged for that user.
local othersFailures = |||
  max by (%(c)s) (cluster:slurm_job_failures:increase%(ends)s)
  - max by (%(c)s) (cluster_user:slurm_job_failures:increase%(ends)s{user!="other"})
|||;
local indented(text, by) = std.strReplace(std.rstripChars(text, '\n'), '\n', '\n' + by);

local unlessOneUsers = |||
  unless on (%%(c)s, partition)
    cluster_partition:slurm_job_failures:increase%%(ends)s * %%(others)g
    > on (%%(c)s) group_left () (
      %s
    )
||| % indented(othersFailures, '    ');

local worstUser = |||
  {{ range printf "topk(1, cluster_user:slurm_job_failures:increase%(ends)s{%(c)s=%%q, user!=\"other\"})" $labels.%(c)s | query }}Most failures of a user in the cluster: {{ .Value | printf "%%.0f" }} of {{ .Labels.user }}.{{ end }}
|||;
local inPartition = worstUser + |||
  All of them: sacct -a -X -S now-1hours -s F,NF,BF,OOM -r {{ $labels.partition }} -o JobID,User,NodeList,State,ExitCode
|||;

local failures(config, name, audience, entity, own, share, hint, but='') =
  local numbers = own {
    level: 'cluster_' + entity,
    entity: entity,
    share: share,
    window: config.jobFailures.window,
    ends: config.jobFailures.window,
    c: config.clusterLabel,
  };
  alert(config, name, audience, numbers, failing + but, 'Many jobs of %s %s fail.' % [if entity == 'account' then 'an' else 'a', entity], |||
    At least {{ $value | humanizePercentage }} (a lower bound) of the jobs of %(entity)s {{ $labels.%(entity)s }}%(of)s that ended in the last %(window)s failed.
  ||| + hint);

// A node that fails each job at once draws the next ones. Where many nodes fail jobs, the node is not the cause. Nor is it
// where nearly all failures are one user's: an array fails wherever it runs. `other` are many nodes.
local blackHole(config, audience, relation, hint) =
  alert(config, 'SlurmBlackHoleNode', audience, config.blackHole {
    ends: config.jobFailures.window,
    others: config.jobFailures.others,
    c: config.clusterLabel,
  }, |||
    cluster_node:slurm_node_job_failures:increase%%(window)s{node!="other"} >= %%(failures)d
    and on (%%(c)s)
      count by (%%(c)s) (cluster_node:slurm_node_job_failures:increase%%(window)s{node!="other"} >= %%(failures)d)
      <= clamp(%%(nodes)g * sum by (%%(c)s) (slurm_cluster_nodes{%%(s)s}), 1, %%(most)d)
    and on (%%(c)s)
      sum by (%%(c)s) (cluster_node:slurm_node_job_failures:increase%%(window)s)
      - sum by (%%(c)s) (cluster_node:slurm_node_job_failures:increase%%(window)s{node!="other"} >= %%(failures)d)
      < %%(othersFailing)g * sum by (%%(c)s) (increase(slurm_cluster_job_ends_total{state=~"%%(goodStates)s", %%(s)s}[%%(ends)s]))
    %s on (%%(c)s)
      max by (%%(c)s) (cluster:slurm_job_failures:increase%%(ends)s) * %%(others)g > (
        %s
      )
  ||| % [relation, indented(othersFailures, '    ')], 'Jobs fail on one node, one after another.', |||
    {{ $value | printf "%%.0f" }} jobs failed on node {{ $labels.node }}%(of)s within %(window)s, while others are well.
  ||| + hint);

local burning(config, speed) =
  alert(config, 'SlurmWaitBudgetBurning', speed.audience, config.waitSlo + speed { share: speed.burn * config.waitSlo.budget }, |||
    cluster_partition:slurm_job_late_starts_per_start:ratio_rate%(long)s > %(share)g
    and cluster_partition:slurm_job_late_starts_per_start:ratio_rate%(short)s > %(share)g
    and cluster_partition:slurm_job_starts:increase%(long)s >= %(starts)d
  |||, 'Too many jobs wait too long for their start.', |||
    {{ $value | humanizePercentage }} of the jobs that started in the last %(long)s in partition {{ $labels.partition }}%(of)s had waited longer than {{ humanizeDuration %(seconds)d.0 }}, and it goes on: squeue --start -p {{ $labels.partition }}
  |||);

{
  alerts(config):: [
    failures(config, 'SlurmPartitionJobsFailing', 'page', 'partition', config.jobFailures, config.jobFailures.critical, inPartition, unlessOneUsers),
    failures(config, 'SlurmPartitionJobsFailing', 'ticket', 'partition', config.jobFailures, config.jobFailures.warning, inPartition),
    failures(config, 'SlurmAccountJobsFailing', 'user_support', 'account', config.accountJobFailures, config.accountJobFailures.warning, |||
      sacct -a -X -S now-1hours -s F,NF,BF,OOM -A {{ $labels.account }} -o JobID,User,NodeList,State,ExitCode
    |||),
    failures(config, 'SlurmUserJobsFailing', 'user_support', 'user', config.userJobFailures, config.userJobFailures.info, |||
      sacct -X -S now-1hours -s F,NF,BF,OOM -u {{ $labels.user }} -o JobID,JobName,NodeList,State,ExitCode
    |||),

    blackHole(config, 'page', 'unless', |||
      Look at them, then drain it: sacct -a -X -S now-1hours -N {{ $labels.node }} -s F,NF,BF; scontrol update NodeName={{ $labels.node }} State=DRAIN Reason="jobs fail"
    |||),
    blackHole(config, 'ticket', 'and', |||
      Nearly all failures are one user's, so it may be the jobs.
    ||| + worstUser + |||
      Look at them: sacct -a -X -S now-1hours -N {{ $labels.node }} -s F,NF,BF
    |||),

    burning(config, config.waitSlo.fast),
    burning(config, config.waitSlo.slow),

    // What never starts is in no histogram of starts. A job that was held, or waited for another one, is old when its turn comes.
    alert(config, 'SlurmJobStarving', 'user_support', config.starving, |||
      time() - min by (%(c)s, partition) (slurm_partition_oldest_pending_timestamp_seconds{class="startable", %(s)s}) > %(seconds)d
      and
        min by (%(c)s, partition) (slurm_partition_oldest_pending_timestamp_seconds{class="startable", %(s)s})
        == min by (%(c)s, partition) (slurm_partition_oldest_pending_timestamp_seconds{class="startable", %(s)s} offset %(startable)s)
    |||, 'A job that could start has waited for days.', |||
      The longest waiting job of partition {{ $labels.partition }}%(of)s that waits only for its turn was submitted {{ $value | humanizeDuration }} ago. %(startable)s ago it already waited for its turn: squeue -p {{ $labels.partition }} -t PD -S V -o "%%i %%u %%V %%Q %%r %%D %%C"
    |||),

    // As many nodes are free as the largest of the waiting jobs wants: even it should start.
    alert(config, 'SlurmQueueStalled', 'ticket', config.queueStalled, |||
      sum by (%(c)s, partition) (slurm_partition_pending_jobs{reason=~"%(startableReasons)s", %(s)s}) > 0
      and on (%(c)s, partition)
        max by (%(c)s, partition) (slurm_partition_nodes_free{%(s)s})
        >= on (%(c)s, partition) (max by (%(c)s, partition) (slurm_partition_pending_job_max_nodes{%(s)s}) > 0)
      and on (%(c)s, partition)
        sum by (%(c)s, partition) (increase(slurm_partition_job_starts_total{%(s)s}[%(window)s])) == 0
      and on (%(c)s, partition)
        max by (%(c)s, partition) (slurm_partition_state{state="up", %(s)s}) == 1
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
  ],
}
