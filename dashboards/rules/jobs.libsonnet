// What exporters on nodes measure, brought to our `jobid`. Slurmscope must show jobs: its per-job families are off by
// default. It does not matter which exporters there are. If several know a job, the first one counts.
//
// Agents that find jobs by their cgroup call them by SLUID since Slurm 26.05, which only slurm_job_info can translate.
local promql = import 'promql.libsonnet';

// The job in `label` of a source; it is asked for with `%(job)s` among its matchers.
local by(config, op, label, text) =
  local number = text % { job: label + '=~"[0-9]+"', w: config.rateWindow };
  local sluid = text % { job: label + '=~"s[0-9A-Z]{13}"', w: config.rateWindow };
  {
    number: '%s by (%s, jobid) (label_replace(%s, "jobid", "$1", "%s", "(.+)"))' %
            [op, config.clusterLabel, number, label],
    sluid: |||
      %s by (%s, jobid) (
        label_replace(%s, "sluid", "$1", "%s", "(.+)")
        * on (%s, sluid) group_left (jobid) max by (%s, sluid, jobid) (slurm_job_info{sluid!="", %s})
      )
    ||| % [op, config.clusterLabel, sluid, label, config.clusterLabel, config.clusterLabel, config.selector],
  };

// Agents that look into cgroups may say either.
local cgroups(config, op, sources) =
  std.join('\nor\n', std.flatMap(
    function(source) local of = by(config, op, source[0], source[1]); [of.number, std.rstripChars(of.sluid, '\n')],
    sources
  ));

// Exporters that a prolog informs say the job's ID; 0 is none.
local gpus(config, op, sources) =
  std.join('\nor\n', [by(config, op, source[0], source[1]).number for source in sources]);

local busy = [
  ['hpc_job', 'DCGM_FI_DEV_GPU_UTIL{hpc_job!="0", %(job)s} / 100'],
  ['jobid', 'nvidia_gpu_duty_cycle{jobid!="0", %(job)s} / 100'],
  ['slurmjobid', 'slurm_job_utilization_gpu{%(job)s} / 100'],
];

// The job's part of what a node does: all of it if the job is alone there.
local part(config, text) =
  |||
    sum by (%(c)s, jobid) (
      slurm:job_node:share_ratio
      * on (%(c)s, node) group_left ()
      sum by (%(c)s, node) (label_replace(rate(%(series)s[%(rateWindow)s]), "node", "$1", "instance", "%(nodeOfInstance)s"))
    )
  ||| % (config { c: config.clusterLabel, series: text });

// Volumes on top of disks would count twice.
local disks = '{device!~"(dm-|md|loop|zram).*"}';

{
  rules(config)::
    local rule(name, text) = promql.rule(config, name, std.strReplace(text, '%', '%%'));
    local own(name, text) = promql.rule(config, name, text);
    local mean(name, time) =
      rule(name, '(\n' + part(config, time) + ')\n/ (slurm:job:nfs_requests_per_second > 0)');
    [
      rule('slurm:job:cpu_used_cores', cgroups(config, 'sum', [
        ['jobid', 'rate(cgroup_cpu_total_seconds{step="", task="", %(job)s}[%(w)s])'],
        ['slurmjobid', 'rate(slurm_job_core_usage_total{%(job)s}[%(w)s]) / 1e9'],
        ['uuid', 'rate(ceems_compute_unit_cpu_user_seconds_total{manager="slurm", %(job)s}[%(w)s])'
                 + ' + rate(ceems_compute_unit_cpu_system_seconds_total{manager="slurm", %(job)s}[%(w)s])'],
      ])),
      rule('slurm:job:memory_used_bytes', cgroups(config, 'sum', [
        ['jobid', 'cgroup_memory_rss_bytes{step="", task="", %(job)s}'],
        ['slurmjobid', 'slurm_job_memory_rss{%(job)s}'],
        ['uuid', 'ceems_compute_unit_memory_used_bytes{manager="slurm", %(job)s}'],
      ])),
      own('slurm:job:cpu_efficiency_ratio', |||
        slurm:job:cpu_used_cores / (max by (%(c)s, jobid) (slurm_job_allocated_cpus{%(s)s}) > 0)
      |||),
      own('slurm:job:memory_efficiency_ratio', |||
        slurm:job:memory_used_bytes / (max by (%(c)s, jobid) (slurm_job_allocated_memory_bytes{%(s)s}) > 0)
      |||),

      own('slurm:job:gpus', 'sum by (%(c)s, jobid) (slurm_job_allocated_gres{gres="gpu", %(s)s})'),
      rule('slurm:job:gpu_utilization_ratio', gpus(config, 'avg', busy)),
      rule('slurm:job:gpus_busy', gpus(config, 'sum', [[s[0], '(%s > bool %g)' % [s[1], config.gpuBusy]] for s in busy])),
      own('slurm:job:gpus_idle', 'slurm:job:gpus - slurm:job:gpus_busy'),
      rule('slurm:job:gpu_sm_active_ratio', gpus(config, 'avg', [
        ['hpc_job', 'DCGM_FI_PROF_SM_ACTIVE{hpc_job!="0", %(job)s}'],
      ])),
      rule('slurm:job:gpu_tensor_active_ratio', gpus(config, 'avg', [
        ['hpc_job', 'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE{hpc_job!="0", %(job)s}'],
      ])),
      rule('slurm:job:gpu_memory_copy_ratio', gpus(config, 'avg', [
        ['hpc_job', 'DCGM_FI_DEV_MEM_COPY_UTIL{hpc_job!="0", %(job)s} / 100'],
      ])),
      rule('slurm:job:gpu_memory_used_bytes', gpus(config, 'sum', [
        ['hpc_job', 'DCGM_FI_DEV_FB_USED{hpc_job!="0", %(job)s} * 1048576'],
        ['jobid', 'nvidia_gpu_memory_used_bytes{jobid!="0", %(job)s}'],
        ['slurmjobid', 'slurm_job_memory_usage_gpu{%(job)s}'],
      ])),
      rule('slurm:job:gpu_temperature_celsius', gpus(config, 'max', [
        ['hpc_job', 'DCGM_FI_DEV_GPU_TEMP{hpc_job!="0", %(job)s}'],
        ['jobid', 'nvidia_gpu_temperature_celsius{jobid!="0", %(job)s}'],
      ])),
      rule('slurm:job:gpu_power_watts', gpus(config, 'sum', [
        ['hpc_job', 'DCGM_FI_DEV_POWER_USAGE{hpc_job!="0", %(job)s}'],
        ['jobid', 'nvidia_gpu_power_usage_milliwatts{jobid!="0", %(job)s} / 1000'],
        ['slurmjobid', 'slurm_job_power_gpu{%(job)s} / 1000'],
      ])),

      // Of what a node does as a whole each of its jobs is given its part of the CPUs that are allocated there. Without
      // slurm_node_cpus (--nodes.per-node=full) these are the CPUs of the jobs that are shown.
      own('slurm:job_node:share_ratio', |||
        clamp_max(
          max by (%(c)s, jobid, node) (slurm_job_node_cpus{%(s)s})
          / on (%(c)s, node) group_left () (
            max by (%(c)s, node) (slurm_node_cpus{state="allocated", %(s)s} > 0)
            or sum by (%(c)s, node) (max by (%(c)s, jobid, node) (slurm_job_node_cpus{%(s)s}))
          ),
          1
        )
        or
          max by (%(c)s, jobid, node) (slurm_job_node_info{%(s)s})
          * on (%(c)s, jobid) group_left () max by (%(c)s, jobid) (slurm_job_info{exclusive="true", %(s)s})
      |||),
      rule('slurm:job:disk_read_bytes_per_second', part(config, 'node_disk_read_bytes_total' + disks)),
      rule('slurm:job:disk_written_bytes_per_second', part(config, 'node_disk_written_bytes_total' + disks)),
      rule('slurm:job:nfs_read_bytes_per_second', part(config, 'node_mountstats_nfs_total_read_bytes_total')),
      rule('slurm:job:nfs_written_bytes_per_second', part(config, 'node_mountstats_nfs_total_write_bytes_total')),
      rule('slurm:job:nfs_requests_per_second', part(config, 'node_mountstats_nfs_operations_requests_total')),
      // from when a request was queued, and from when it was sent, to its answer
      mean('slurm:job:nfs_request_seconds', 'node_mountstats_nfs_operations_request_time_seconds_total'),
      mean('slurm:job:nfs_response_seconds', 'node_mountstats_nfs_operations_response_time_seconds_total'),
      rule('slurm:job:nfs_retransmissions_per_second', part(config, 'node_nfs_rpc_retransmissions_total')),
    ],
}
