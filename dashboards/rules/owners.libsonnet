// What exporters on nodes measure of jobs, by account and user: of the jobs that slurmscope shows (--jobs.rows), because only
// these say whose they are.
local promql = import 'promql.libsonnet';
local fill = (import '../texts.libsonnet').fill;

// [record of jobs, what of it adds up]
local sums = [
  ['cpu_used_cores', 'slurm:job:cpu_used_cores'],
  ['memory_used_bytes', 'slurm:job:memory_used_bytes'],
  ['gpus_used', 'slurm:job:gpu_utilization_ratio * slurm:job:gpus'],
  ['gpus_tensor_active', 'slurm:job:gpu_tensor_active_ratio * slurm:job:gpus'],
  ['gpu_memory_used_bytes', 'slurm:job:gpu_memory_used_bytes'],
  ['gpu_power_watts', 'slurm:job:gpu_power_watts'],
  ['disk_read_bytes_per_second', 'slurm:job:disk_read_bytes_per_second'],
  ['disk_written_bytes_per_second', 'slurm:job:disk_written_bytes_per_second'],
  ['nfs_read_bytes_per_second', 'slurm:job:nfs_read_bytes_per_second'],
  ['nfs_written_bytes_per_second', 'slurm:job:nfs_written_bytes_per_second'],
  ['nfs_metadata_requests_per_second', 'slurm:job:nfs_metadata_requests_per_second'],
  ['lustre_read_bytes_per_second', 'slurm:job:lustre_read_bytes_per_second'],
  ['lustre_written_bytes_per_second', 'slurm:job:lustre_written_bytes_per_second'],
  ['lustre_operations_per_second', 'slurm:job:lustre_operations_per_second'],
  ['infiniband_transmitted_bytes_per_second', 'slurm:job:infiniband_transmitted_bytes_per_second'],
];

{
  record(what):: fill('cluster_account_user:slurm_job_%s:sum', what),

  rules(config):: [
    promql.rule(config, $.record(of[0]), |||
      sum by (%(c)s, account, user) (
        %(of)s
        * on (%(c)s, jobid) group_left (account, user) max by (%(c)s, jobid, account, user) (slurm_job_info{%(s)s})
      )
    |||, { of: of[1] })
    for of in sums
  ],
}
