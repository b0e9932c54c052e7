// What the dashboard "All clusters" asks for: some numbers of each cluster. With the alerts they are all that a Prometheus of
// many clusters has to take from the others (deploy/fleet).
local promql = import 'promql.libsonnet';

{
  rules(config)::
    local sum(record, expr) = promql.rule(config, record, 'sum by (%(c)s) (' + expr + ')');
    local byState(record, selector) = promql.rule(config, record, 'sum by (%(c)s, state) (' + selector + ')');
    // Flags that no node has are not there.
    local orZero(record, expr, of) = promql.rule(config, record, 'sum by (%(c)s) (' + expr + ')\nor 0 * sum by (%(c)s) (' + of + ')');
    local nodes = 'slurm_cluster_nodes{state!="", %(s)s}';
    [
      promql.rule(config, 'cluster_version:slurm_cluster_info:max', 'max by (%(c)s, slurm_version) (slurm_cluster_info{%(s)s})'),
      // one that serves is enough
      promql.rule(config, 'cluster:slurm_controller_up:max', 'max by (%(c)s) (slurm_controller_up{%(s)s})'),
      promql.rule(config, 'cluster:slurmscope_oldest_answer:intervals', |||
        max by (%(c)s) (
          (time() - slurmscope_endpoint_last_success_timestamp_seconds{%(s)s})
          / slurmscope_endpoint_interval_seconds{%(s)s}
        )
      |||),
      sum('cluster:slurm_nodes:sum', nodes),
      sum('cluster:slurm_nodes_down:sum', 'slurm_cluster_nodes{state=~"down|error|unknown", %(s)s}'),
      orZero('cluster:slurm_nodes_drained:sum', 'slurm_cluster_nodes_flagged{flag=~"drained|draining", %(s)s}', nodes),
      byState('cluster_state:slurm_cpus:sum', 'slurm_cluster_cpus{state!="", %(s)s}'),
      sum('cluster:slurm_effective_cpus:sum', 'slurm_cluster_effective_cpus{%(s)s} or sum without (state) (slurm_cluster_cpus{state!="", %(s)s})'),
      byState('cluster_state:slurm_gpus:sum', 'slurm_cluster_gres{gres="gpu", state!="", %(s)s}'),
      byState('cluster_state:slurm_jobs:sum', 'slurm_cluster_jobs{state=~"running|pending|suspended", %(s)s}'),
      orZero('cluster:slurm_jobs_startable:sum', 'slurm_cluster_pending_jobs{class="startable", %(s)s}', 'slurm_cluster_jobs{state!="", %(s)s}'),
      promql.rule(config, 'cluster:slurm_oldest_startable_job:age_seconds', |||
        time() - min by (%(c)s) (slurm_cluster_oldest_pending_timestamp_seconds{class="startable", %(s)s})
      |||),
    ],
}
