// What somebody knows of, as the site's pattern of reasons of nodes says.
function(config) if config.nodeQuiet == null then '' else |||
  unless on (%%(c)s, node) slurm_node_reason_info{reason=~"%s", %%(s)s}
||| % std.strReplace(config.nodeQuiet, '%', '%%')
