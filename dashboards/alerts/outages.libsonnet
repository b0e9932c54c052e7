// Nodes that leave service again and again, or do not come back from where Slurm sent them.
local outages = import '../rules/outages.libsonnet';
local alert = import 'alert.libsonnet';
local parts = import 'parts.libsonnet';
local unlessQuiet = import 'quiet.libsonnet';
local trimmed = (import '../texts.libsonnet').trimmed;

// A message for each node, or one if they are more: then they have something in common.
local each(config, name, own, nodes, summary, one, many) =
  local count = 'count by (%(c)s) (' + nodes + ')';
  alert(
    config,
    name,
    'ticket',
    own { c: config.clusterLabel },
    nodes + '\nand on (%(c)s) ' + count + ' <= %(nodes)d\n' + unlessQuiet(config) + 'or\n' + count + ' > %(nodes)d\n',
    summary,
    '{{ if $labels.node }}' + trimmed(one) + '{{ else }}' + trimmed(many) + '{{ end }}',
  );

{
  alerts(config):: [
    each(config, 'SlurmNodeFlapping', config.nodeFlapping, outages.flapping(config) + ' >= %(times)d', 'Nodes leave service again and again.', |||
      Node {{ $labels.node }}%(of)s was out of service {{ $value | printf "%%.0f" }} times within %(window)s.
    ||| + parts.why + |||
      Drain it until somebody has found why: scontrol show node {{ $labels.node }}
    |||, |||
      {{ $value | printf "%%.0f" }} nodes%(of)s were out of service at least %(times)d times each within %(window)s: the network, power, a file system? sinfo -R
    |||),

    each(config, 'SlurmNodeRebootsAgain', config.nodeReboots, outages.reboots(config) + ' >= %(times)d', 'Nodes boot unexpectedly, and not for the first time.', |||
      Node {{ $labels.node }}%(of)s booted {{ $value | printf "%%.0f" }} times within %(window)s though Slurm had not asked for it.
    ||| + parts.why + |||
      Drain it, and look at its power, heat and memory.
    |||, |||
      {{ $value | printf "%%.0f" }} nodes%(of)s booted at least %(times)d times each within %(window)s though Slurm had not asked for it: what do they share?
    |||),

    alert(config, 'SlurmNodesStuckPowering', 'ticket', config.nodesPowering { flags: 'powering_up|powering_down|reboot_issued' }, parts.stuck + '> 0\n', 'Nodes do not come back from a boot or from saving power.', |||
      {{ $value | printf "%%.0f" }} nodes%(of)s have been on their way up, down or through a reboot for %(window)s: scontrol show nodes | grep -E 'NodeName|State='
    |||),
  ],
}
