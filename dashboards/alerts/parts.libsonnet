// What several alerts of nodes say.
{
  // A share of the nodes, within what is many for a small and for a large machine.
  many: |||
    clamp(%(share)g * sum by (%(c)s) (slurm_cluster_nodes{%(s)s}), %(least)d, %(most)d)
  |||,

  // In a text: the reason that Slurm has for the node. As a label a new reason would be a new alert.
  why: |||
    {{ range printf "slurm_node_reason_info{node=%%q, %(c)s=%%q}" $labels.node $labels.%(c)s | query }}Reason, by {{ .Labels.user }}: {{ .Labels.reason }}.{{ end }}
  |||,

  // How many nodes had one of the flags in all answers of the window; that of cluster's free nodes tells how many there were.
  stuck: |||
    count by (%(c)s) (
      max by (%(c)s, node) (count_over_time(slurm_node_flag{flag=~"%(flags)s", %(s)s}[%(window)s]))
      >= on (%(c)s) group_left () max by (%(c)s) (count_over_time(slurm_cluster_nodes_free{%(s)s}[%(window)s]))
      and on (%(c)s) max by (%(c)s) (slurm_cluster_nodes_free{%(s)s} offset %(window)s) >= 0
    )
  |||,
}
