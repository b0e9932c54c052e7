local alert = import 'alert.libsonnet';
local fill = (import '../texts.libsonnet').fill;
local trimmed = (import '../texts.libsonnet').trimmed;

// Jobs could start, and what slurmctld says of its scheduler is not old.
local withWork = |||
  and on (%(c)s) sum by (%(c)s) (slurm_cluster_pending_jobs{reason=~"%(startableReasons)s", %(s)s}) > 0
  and on (%(c)s) max by (%(c)s) (slurmscope_endpoint_up{endpoint="diag", %(s)s}) == 1
|||;

// Slurm's default of MaxDBDMsgs; MaxJobCount is 10,000 by default, and at least the jobs there are.
local maxDbdMessages = |||
  2 * (
    max by (%(c)s) (slurm_controller_max_job_records{%(s)s})
    or clamp_min(max by (%(c)s) (slurm_controller_job_records{%(s)s}), 10000)
  ) + 4 * sum by (%(c)s) (slurm_cluster_nodes{%(s)s})
|||;

{
  alerts(config):: [
    alert(config, 'SlurmControllerDown', 'page', config.controllerDown, |||
      max by (%(c)s) (slurm_controller_up{%(s)s}) == 0
    |||, 'No slurmctld answers.', |||
      No slurmctld%(of)s has answered for %(for)s. Running jobs go on; none starts, none can be submitted: scontrol ping; systemctl status slurmctld
    |||),
    alert(config, 'SlurmControllerFailedOver', 'ticket', config.failover, |||
      max by (%(c)s) (slurm_controller_up{role="primary", %(s)s}) == 0
      and max by (%(c)s) (slurm_controller_up{role="backup", %(s)s}) == 1
    |||, 'The backup slurmctld is in charge.', |||
      The primary slurmctld%(of)s does not answer, a backup does: scontrol ping
    |||),
    alert(config, 'SlurmBackupControllerDown', 'ticket', config.backupDown, |||
      max by (%(c)s, controller) (slurm_controller_up{role="backup", %(s)s}) == 0
      and on (%(c)s) max by (%(c)s) (slurm_controller_up{role="primary", %(s)s}) == 1
    |||, 'A backup slurmctld does not answer.', |||
      The backup slurmctld on {{ $labels.controller }}%(of)s does not answer; should the primary fail, nobody takes over: scontrol ping
    |||),
    alert(config, 'SlurmAccountingDown', 'ticket', config.accountingDown, |||
      max by (%(c)s) (slurm_dbd_up{%(s)s}) == 0
    |||, 'slurmdbd does not answer.', |||
      slurmdbd%(of)s has not answered for %(for)s. slurmctld keeps its messages until it is back: sacctmgr ping; sdiag | grep "DBD Agent"
    |||),
    local queue = config.accountingQueue;
    local isKnown = queue.max != null;
    alert(config, 'SlurmAccountingQueueFilling', 'page', queue {
      limit: if isKnown then 'MaxDBDMsgs' else "Slurm's default of MaxDBDMsgs, as far as it is known,",
    }, fill(|||
      max by (%%(c)s) (slurm_dbd_agent_queue{%%(s)s}) > %%(messages)d
      and
        max by (%%(c)s) (predict_linear(slurm_dbd_agent_queue{%%(s)s}[%%(trend)s], %%(ahead)d)) > (
          %s
        )
    |||, if isKnown then queue.max else std.strReplace(trimmed(maxDbdMessages), '\n', '\n    ')), 'Accounting records are about to be lost.', |||
      slurmctld%(of)s holds {{ $value | printf "%%.0f" }} messages for slurmdbd. At this rate they exceed %(limit)s within {{ humanizeDuration %(ahead)d.0 }}. Beyond MaxDBDMsgs slurmctld drops records of jobs: sacctmgr ping; sdiag; scontrol show config | grep -i MaxDBDMsgs
    |||),
    alert(config, 'SlurmControllerThreadsSaturated', 'page', config.threads { most: config.threads.max * config.threads.share }, |||
      max by (%(c)s) (min_over_time(slurm_controller_threads{%(s)s}[%(window)s])) > %(most)g
    |||, 'slurmctld hardly keeps up with requests.', |||
      {{ $value | printf "%%.0f" }} of %(max)d threads of slurmctld%(of)s have been busy for more than %(window)s; commands will time out. See who asks that much: sdiag --sort-by-time
    |||),
    alert(config, 'SlurmAgentQueueGrowing', 'ticket', config.agentQueue, |||
      max by (%(c)s) (min_over_time(slurm_controller_agent_queue{%(s)s}[%(window)s])) > clamp_min(%(perNode)g * sum by (%(c)s) (slurm_cluster_nodes{%(s)s}), %(messages)d)
      and
        max by (%(c)s) (deriv(slurm_controller_agent_queue{%(s)s}[%(trend)s])) > 0
    |||, 'Messages of slurmctld to nodes pile up.', |||
      At least {{ $value | printf "%%.0f" }} messages of slurmctld%(of)s to nodes have been waiting for %(window)s, and there are more and more: sdiag; sinfo -t no_respond
    |||),
    alert(config, 'SlurmSchedulerStuck', 'page', config.schedulerStuck, |||
      sum by (%(c)s) (increase(slurm_scheduler_cycles_total{%(s)s}[%(window)s])) == 0
    ||| + withWork, 'The main scheduler makes no cycles.', |||
      slurmctld%(of)s has made no scheduling cycle for %(window)s while jobs could start: sdiag; tail the log of slurmctld
    |||),
    alert(config, 'SlurmBackfillStuck', 'ticket', config.backfillStuck, |||
      time() - max by (%(c)s) (slurm_backfill_last_cycle_timestamp_seconds{%(s)s} > 0) > %(seconds)d
    ||| + withWork, 'The backfill scheduler has not run for long.', |||
      The last backfill cycle%(of)s was {{ $value | humanizeDuration }} ago, while jobs could start: sdiag
    |||),
    alert(config, 'SlurmBackfillIncomplete', 'report', config.backfillIncomplete { limits: 'bf_max_job_test|bf_max_time|bf_node_space_size' }, |||
      sum by (%(c)s) (increase(slurm_backfill_exits_total{reason=~"%(limits)s", %(s)s}[%(window)s]))
      / (sum by (%(c)s) (increase(slurm_backfill_exits_total{%(s)s}[%(window)s])) >= %(cycles)d)
      > %(share)g
    |||, 'Backfill does not reach the end of the queue.', |||
      {{ $value | humanizePercentage }} of the backfill cycles%(of)s of the last %(window)s ended at a limit, so jobs further down the queue are never tried: sdiag
    |||),
    local table = config.jobTable;
    alert(config, 'SlurmJobTableFilling', 'page', table, fill(|||
      max by (%%(c)s) (slurm_controller_job_records{%%(s)s}) / %s > %%(share)g
    |||, if table.max == null then 'max by (%(c)s) (slurm_controller_max_job_records{%(s)s})' else fill('%d', table.max)), 'slurmctld can hardly take more jobs.', |||
      {{ $value | humanizePercentage }} of MaxJobCount%(of)s is used; at 100%% submissions are refused: squeue -h -a -o %%u | sort | uniq -c | sort -n | tail
    |||),
    alert(config, 'SlurmControllerSlow', 'ticket', config.slowPing, |||
      max by (%(c)s, controller) (min_over_time(slurm_controller_ping_seconds{%(s)s}[%(window)s])) > %(seconds)g
    |||, 'slurmctld answers slowly.', |||
      slurmctld on {{ $labels.controller }}%(of)s has taken at least {{ $value | humanizeDuration }} for each ping of the last %(window)s: sdiag; sdiag --sort-by-time
    |||),
    alert(config, 'SlurmRequestsDropped', 'ticket', config.requestsDropped, |||
      sum by (%(c)s) (increase(slurm_rpc_dropped_total{%(s)s}[%(window)s])) >= %(requests)d
    |||, 'slurmctld drops requests.', |||
      slurmctld%(of)s dropped {{ $value | printf "%%.0f" }} requests in the last %(window)s, so commands fail or try again: sdiag
    |||),
    // From 24.05 on. Without slurmdbd there is no roll-up: that has an alert of its own.
    alert(config, 'SlurmRollupStale', 'ticket', config.rollups, |||
      time() - max by (%(c)s) (slurm_dbd_rollup_timestamp_seconds{trigger="slurmdbd", %(s)s}) > %(seconds)d
      unless on (%(c)s) max by (%(c)s) (slurm_dbd_up{%(s)s}) == 0
    |||, 'slurmdbd does not roll up usage.', |||
      The last roll-up of slurmdbd%(of)s by itself was {{ $value | humanizeDuration }} ago, so sreport and usage are old: sacctmgr show stats; tail the log of slurmdbd
    |||),
  ],
}
