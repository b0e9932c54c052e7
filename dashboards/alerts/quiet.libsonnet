// What somebody knows of, as the site's pattern of reasons of nodes says, or its pattern of causes that are planned work.
local fill = (import '../texts.libsonnet').fill;

local unless(family, label, pattern) = if pattern == null then '' else fill(|||
  unless on (%%(c)s, node) %s{%s=~%s, %%(s)s}
|||, [family, label, std.strReplace(std.escapeStringJson(pattern), '%', '%%')]);

function(config)
  unless('slurm_node_reason_info', 'reason', config.nodeQuiet) +
  unless('slurm_node_outage_start_timestamp_seconds', 'cause', config.outages.plannedCauses)
