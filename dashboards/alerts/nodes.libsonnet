local alert = import 'alert.libsonnet';

// Out of service on purpose, or on its way back.
local onPurpose = 'powered_down|powering_down|powering_up|power_down|maint|reboot_requested|reboot_issued';

local burst(config, audience, to, did, hint) =
  alert(config, 'SlurmNodesLostAtOnce', audience, config.nodesBurst { to: to, did: did }, |||
    sum by (%(c)s) (increase(slurm_cluster_node_transitions_total{to=~"%(to)s", %(s)s}[%(window)s])) >= %(nodes)d
    and
      sum by (%(c)s) (increase(slurm_cluster_node_transitions_total{to=~"%(to)s", %(s)s}[%(window)s]))
      > %(share)g * sum by (%(c)s) (slurm_cluster_nodes{%(s)s})
  |||, 'Several nodes went out of service together.', |||
    {{ $value | printf "%%.0f" }} nodes%(of)s %(did)s within %(window)s:
  ||| + hint);

{
  alerts(config):: [
    burst(config, 'page', 'down|fail', 'went down', 'sinfo -R; sinfo -t down,fail,no_respond -N'),
    burst(config, 'ticket', 'drain', 'were drained', 'sinfo -R'),

    // One that somebody drained is known: SlurmNodeOutForLong has it.
    alert(config, 'SlurmNodeDown', 'ticket', config.nodeDown { onPurpose: 'drained|draining|' + onPurpose }, |||
      max by (%(c)s, node) (slurm_node_state{state=~"down|error", %(s)s}) == 1
      unless on (%(c)s, node) slurm_node_flag{flag=~"%(onPurpose)s", %(s)s}
    |||, 'A node is down.', |||
      Node {{ $labels.node }}%(of)s has been down for more than %(for)s: scontrol show node {{ $labels.node }}
    |||),

    alert(config, 'SlurmNodeOutForLong', 'report', config.nodeOut { onPurpose: onPurpose }, |||
      (
        time() - max by (%(c)s, node) (slurm_node_reason_timestamp_seconds{%(s)s}) > %(seconds)d
        and on (%(c)s, node) (slurm_node_flag{flag=~"drained|draining|fail", %(s)s} or slurm_node_state{state=~"down|error", %(s)s})
        unless on (%(c)s, node) slurm_node_flag{flag=~"%(onPurpose)s", %(s)s}
      )
      * on (%(c)s, node) group_left (reason, user) max by (%(c)s, node, reason, user) (slurm_node_reason_info{%(s)s})
    |||, 'A node has been out of service for days.', |||
      Node {{ $labels.node }}%(of)s has been down or drained for {{ $value | humanizeDuration }}, by {{ $labels.user }}: {{ $labels.reason }}
    |||),
  ],
}
