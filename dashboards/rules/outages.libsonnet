// How much of the nodes' time was in service, how long outages last, how often they come, and what they cost. Of partitions, and of
// the cluster, where a node of two partitions counts once.
//
// An outage is planned if it is a reservation's with MAINT, or if its cause is one of `outages.plannedCauses`. Kinds and causes are
// slurmscope's (lib/events/outages.h); an outage that ended has its worst kind and its last cause.
local promql = import 'promql.libsonnet';
local fill = (import '../texts.libsonnet').fill;

local levels = [
  { name: 'cluster', entity: 'cluster', labels: [], ended: 'slurm_cluster_node_outage_duration_seconds_count' },
  { name: 'cluster_partition', entity: 'partition', labels: ['partition'], ended: 'slurm_partition_node_outages_ended_total' },
];
// What is lost meanwhile, as the families have it.
local lost = ['seconds', 'cpu_seconds', 'gpu_seconds', 'memory_byte_seconds'];

{
  // Of unplanned outages: more of a selector.
  unplanned(config):: 'kind!="maintenance"' + if config.outages.plannedCauses == null then '' else
    fill(', cause!~%s', std.escapeStringJson(config.outages.plannedCauses)),

  // How often nodes left service unplanned, and booted unexpectedly, of those that did so more than once.
  flapping(config):: 'cluster_node:slurm_node_outages:count' + config.nodeFlapping.window,
  reboots(config):: 'cluster_node:slurm_node_reboots:count' + config.nodeReboots.window,

  // Each outage begins later than the one before, so the negated beginnings fall. (By changes() VictoriaMetrics would count one more
  // than Prometheus.)
  local times(where) = fill(|||
    1 + resets((-max by (%%(c)s, node) (
      slurm_node_outage_start_timestamp_seconds{%s, %%(s)s}
    ))[%%(window)s:%%(step)s]) > 1
  |||, std.strReplace(where, '%', '%%')),
  // Where a node that boots returns at once, only its boots tell: with --nodes.per-node=full. Instants are enough; a week of
  // 10,000 nodes would be too much to read.
  local boots = |||
    max by (%(c)s, node) (slurm_node_transitions_total{to="reboot", %(s)s})
    - (
      max by (%(c)s, node) (slurm_node_transitions_total{to="reboot", %(s)s} offset %(window)s)
      or 0 * max by (%(c)s, node) (slurm_node_transitions_total{to="reboot", %(s)s})
    ) > 1
  |||,

  rules(config)::
    local hour = config.outages.hour;
    local by(labels) = std.join(', ', [config.clusterLabel] + labels);
    // Over weeks: sums of hours, as in use.libsonnet.
    local sum(record, window, where='') = fill('sum_over_time(%s%s[%s:%s])', [record, if where == '' then '' else fill('{%s}', where), window, hour]);

    std.flatMap(function(level)
      local ofCause(what) = fill('%s_kind_cause:slurm_node_%s:increase%s', [level.name, what, hour]);
      local nodeSeconds = fill('%s:slurm_node_seconds:sum%s', [level.name, hour]);
      local increase(what, family) = promql.rule(config, ofCause(what), fill(|||
        sum by (%(by)s) (increase(%(family)s{%%(s)s}[%(hour)s]))
      |||, { by: by(level.labels + ['kind', 'cause']), family: family, hour: hour }));
      [
        // The mean number of nodes, as far as it is known, times the hour. Slurm does not count nodes of the future.
        promql.rule(config, nodeSeconds, fill(|||
          3600 * sum by (%(by)s) (sum_over_time(slurm_%(entity)s_nodes{state!~"future|", %%(s)s}[%(hour)s]))
          / on (%%(c)s) group_left () sum by (%%(c)s) (count_over_time(slurm_cluster_cpus{state="allocated", %%(s)s}[%(hour)s]))
        |||, { by: by(level.labels), entity: level.entity, hour: hour })),
      ]
      + [increase('outage_' + what, fill('slurm_%s_node_outage_%s_total', [level.entity, what])) for what in lost]
      + [increase('outages_ended', level.ended)]
      + std.flatMap(
        function(window)
          local names = {
            by: by(level.labels),
            all: sum(nodeSeconds, window),
            out: sum(ofCause('outage_seconds'), window),
            unplannedOut: sum(ofCause('outage_seconds'), window, $.unplanned(config)),
            unplannedEnds: sum(ofCause('outages_ended'), window, $.unplanned(config)),
          };
          local rule(what, text) = promql.rule(config, fill('%s:slurm_node_%s%s', [level.name, what, window]), text, names);
          [
            // Of all time.
            rule('in_service:ratio', |||
              clamp_min(1 - (sum by (%(by)s) (%(out)s) or 0 * %(all)s) / (%(all)s > 0), 0)
            |||),
            // Of the time that was not planned to be out.
            rule('availability:ratio', |||
              clamp_min(1 - (sum by (%(by)s) (%(unplannedOut)s) or 0 * %(all)s) / (
                %(all)s
                - (sum by (%(by)s) (%(out)s) or 0 * %(all)s)
                + (sum by (%(by)s) (%(unplannedOut)s) or 0 * %(all)s) > 0
              ), 0)
            |||),
            // MTTR: time out for each unplanned outage that ended.
            rule('time_to_repair_seconds:mean', |||
              sum by (%(by)s) (%(unplannedOut)s)
              / (sum by (%(by)s) (%(unplannedEnds)s) > 0)
            |||),
            // MTBF: time in service for each.
            rule('time_between_failures_seconds:mean', |||
              (%(all)s - sum by (%(by)s) (%(out)s))
              / (sum by (%(by)s) (%(unplannedEnds)s) > 0)
            |||),
          ],
        config.outages.windows
      ), levels) + [
      promql.rule(config, $.flapping(config), times($.unplanned(config)), config.nodeFlapping),
      promql.rule(config, $.reboots(config), times('cause="unexpected_reboot"') + 'or\n' + boots, config.nodeReboots),
    ],
}
