local alert = import 'alert.libsonnet';
local parts = import 'parts.libsonnet';
local unlessQuiet = import 'quiet.libsonnet';
local trimmed = (import '../texts.libsonnet').trimmed;

local many = parts.many, why = parts.why, stuck = parts.stuck;

// Out of service on purpose, or on its way back.
local onPurpose = 'powered_down|powering_down|powering_up|power_down|maint|reboot_requested|reboot_issued';

local burst(config, audience, to, did, hint) =
  alert(config, 'SlurmNodesLostAtOnce', audience, config.nodesBurst { to: to, did: did }, |||
    sum by (%(c)s) (increase(slurm_cluster_node_transitions_total{to=~"%(to)s", %(s)s}[%(window)s]))
    >=
  ||| + many, 'Several nodes went out of service together.', |||
    {{ $value | printf "%%.0f" }} nodes%(of)s %(did)s within %(window)s:
  ||| + hint);

// Nodes that no job gets though nobody has said so.
local down = |||
  max by (%(c)s, node) (slurm_node_state{state=~"down|error", %(s)s}) == 1
  unless on (%(c)s, node) slurm_node_flag{flag=~"%(onPurpose)s", %(s)s}
|||;

local indented(text) = std.strReplace(trimmed(text), '\n', '\n  ');

{
  alerts(config):: [
    burst(config, 'page', 'down|fail', 'went down', 'sinfo -R; sinfo -t down,fail,no_respond -N'),
    burst(config, 'ticket', 'drain', 'were drained', 'sinfo -R'),

    // However slowly they went.
    alert(config,
          'SlurmNodesOutOfService',
          'page',
          config.nodesOut { onPurpose: 'drained|draining|' + onPurpose },
          'count by (%(c)s) (\n  ' + indented(down) + '\n)\n>=\n' + many,
          'Many nodes are down.',
          |||
            {{ $value | printf "%%.0f" }} nodes%(of)s are down, and nobody has drained them: sinfo -R; sinfo -t down,no_respond -N
          |||),

    // One that somebody drained is known: SlurmNodeOutForLong has it.
    alert(config, 'SlurmNodeDown', 'ticket', config.nodeDown { onPurpose: 'drained|draining|' + onPurpose, c: config.clusterLabel }, down + unlessQuiet(config), 'A node is down.', |||
      Node {{ $labels.node }}%(of)s has been down for more than %(for)s.
    ||| + why + |||
      Look: scontrol show node {{ $labels.node }}
    |||),

    alert(config, 'SlurmNodeOutForLong', 'report', config.nodeOut { onPurpose: onPurpose, c: config.clusterLabel }, |||
      time() - max by (%(c)s, node) (slurm_node_reason_timestamp_seconds{%(s)s}) > %(seconds)d
      and on (%(c)s, node) (slurm_node_flag{flag=~"drained|draining|fail", %(s)s} or slurm_node_state{state=~"down|error", %(s)s})
      unless on (%(c)s, node) slurm_node_flag{flag=~"%(onPurpose)s", %(s)s}
    ||| + unlessQuiet(config), 'A node has been out of service for days.', |||
      Node {{ $labels.node }}%(of)s has been down or drained for {{ $value | humanizeDuration }}.
    ||| + why),

    // A process that does not end, mostly because it waits for a file system.
    alert(config, 'SlurmNodesStuckCompleting', 'page', config.nodesStuck { flags: 'completing' }, stuck + '>=\n' + many, 'Jobs do not end on many nodes.', |||
      {{ $value | printf "%%.0f" }} nodes%(of)s have been completing for %(window)s. Their jobs wait, mostly for a file system that hangs: sinfo -t completing -N
    |||),
    alert(config, 'SlurmNodesStuckCompleting', 'ticket', config.nodesStuck { flags: 'completing' }, stuck + '> 0\n', 'Jobs do not end on some nodes.', |||
      {{ $value | printf "%%.0f" }} nodes%(of)s have been completing for %(window)s, because a process does not end: sinfo -t completing -N
    |||),

    alert(config, 'SlurmNodeInvalid', 'ticket', config.nodeInvalid { c: config.clusterLabel }, |||
      max by (%(c)s, node) (slurm_node_flag{flag="invalid_reg", %(s)s}) == 1
    ||| + unlessQuiet(config), 'A node is less than slurm.conf says.', |||
      slurmctld does not take the registration of node {{ $labels.node }}%(of)s: its slurmd found less, or is set up otherwise.
    ||| + why + |||
      Look: scontrol show node {{ $labels.node }}; slurmd -C on the node
    |||),

    alert(config, 'SlurmNodesRebooted', 'report', config.nodesRebooted, |||
      sum by (%(c)s) (increase(slurm_cluster_node_transitions_total{to="reboot", %(s)s}[%(window)s]))
      >=
    ||| + many, 'Nodes boot unexpectedly.', |||
      {{ $value | printf "%%.0f" }} times within %(window)s a node%(of)s booted though Slurm had not asked for it: sinfo -R | grep -i reboot
    |||),
  ],
}
