// What exporters on nodes measure of jobs: CPUs, memory, processes, disks, file systems, InfiniBand. Slurmscope must show jobs,
// for their owners and their nodes. It does not matter which exporters there are. If several know a job, the first one counts.
// GPUs are in gpus.libsonnet. dashboards/SOURCES.md has which family is used where.
local joins = import 'joins.libsonnet';
local promql = import 'promql.libsonnet';

// Volumes on top of disks would count twice.
local disk = 'device!~"(dm-|md|loop|zram).*"';
local data = 'operation=~"READ|WRITE"';

{
  rules(config)::
    local rule(name, text) = joins.rule(config, name, text);
    local own(name, text) = promql.rule(config, name, text);
    local measured(name, sources, op='sum') = rule(name, joins.cgroups(config, op, sources));
    [
      measured('slurm:job:cpu_used_cores',
               joins.cgroupExporter('cgroup_cpu_total_seconds', joins.rate) + [
                 joins.source('slurmjobid', 'rate(slurm_job_core_usage_total{%(job)s}[%(w)s]) / 1e9'),
                 joins.source('uuid',
                              'rate(ceems_compute_unit_cpu_user_seconds_total{manager="slurm", %(job)s}[%(w)s])'
                              + ' + rate(ceems_compute_unit_cpu_system_seconds_total{manager="slurm", %(job)s}[%(w)s])'),
               ]),
      // in the kernel: of these
      measured('slurm:job:cpu_system_cores',
               joins.cgroupExporter('cgroup_cpu_system_seconds', joins.rate)
               + joins.ceems('ceems_compute_unit_cpu_system_seconds_total', joins.rate)),
      // Of what they wait for others, the mean of its nodes.
      measured('slurm:job:cpu_pressure_ratio', joins.ceems('ceems_compute_unit_cpu_psi_seconds', joins.rate), 'avg'),
      measured('slurm:job:memory_pressure_ratio', joins.ceems('ceems_compute_unit_memory_psi_seconds', joins.rate), 'avg'),

      // Memory of its processes, without the files that the kernel keeps in memory for it.
      measured('slurm:job:memory_used_bytes',
               joins.cgroupExporter('cgroup_memory_rss_bytes')
               + joins.jobExporter('slurm_job_memory_rss')
               + joins.ceems('ceems_compute_unit_memory_rss_bytes')),
      // Those files, too: what counts against its limit.
      measured('slurm:job:memory_charged_bytes',
               joins.cgroupExporter('cgroup_memory_used_bytes')
               + joins.jobExporter('slurm_job_memory_usage')
               + joins.ceems('ceems_compute_unit_memory_used_bytes')),
      measured('slurm:job:memory_cache_bytes',
               joins.cgroupExporter('cgroup_memory_cache_bytes')
               + joins.jobExporter('slurm_job_memory_cache')
               + joins.ceems('ceems_compute_unit_memory_cache_bytes')),
      measured('slurm:job:memory_peak_bytes', joins.jobExporter('slurm_job_memory_max')),
      // What the kernel holds it to. Without a limit it is a number near 2^63.
      rule('slurm:job:memory_limit_bytes', '(\n' + joins.cgroups(
        config,
        'sum',
        joins.cgroupExporter('cgroup_memory_total_bytes')
        + joins.jobExporter('slurm_job_memory_limit')
        + joins.ceems('ceems_compute_unit_memory_total_bytes')
      ) + '\n) < 2^60'),
      measured('slurm:job:memory_limit_hits_per_second',
               joins.cgroupExporter('cgroup_memory_fail_count', joins.rate)
               + joins.ceems('ceems_compute_unit_memory_fail_count', joins.rate)),
      measured('slurm:job:processes', joins.jobExporter('slurm_job_process_count')),
      measured('slurm:job:threads', joins.jobExporter('slurm_job_threads_count')),

      own('slurm:job:cpu_efficiency_ratio', |||
        slurm:job:cpu_used_cores / (max by (%(c)s, jobid) (slurm_job_allocated_cpus{%(s)s}) > 0)
      |||),
      own('slurm:job:memory_efficiency_ratio', |||
        slurm:job:memory_used_bytes / (max by (%(c)s, jobid) (slurm_job_allocated_memory_bytes{%(s)s}) > 0)
      |||),
    ],

  // Disks, file systems, InfiniBand.
  ioRules(config)::
    local rule(name, text) = joins.rule(config, name, text);
    local own(name, text) = promql.rule(config, name, text);
    local part(name, series) = rule(name, joins.part(config, series));
    local measured(name, sources) = rule(name, joins.cgroups(config, 'sum', sources));
    local lustre(name, family) = rule(name, joins.number(config, 'sum', joins.source('jobid', joins.rate(family + '{%(job)s}'))));
    // What an exporter measures of the job itself comes before its part of what its nodes do.
    local disks(name, ceems, series) = rule(name, joins.cgroups(config, 'sum', joins.ceems(ceems, joins.rate, disk + ', '))
                                                  + '\nor\n' + joins.part(config, series + '{' + disk + '}'));
    local mean(name, time) =
      rule(name, '(\n' + joins.part(config, time) + ')\n/ (slurm:job:nfs_requests_per_second > 0)');
    [
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
      disks('slurm:job:disk_read_bytes_per_second', 'ceems_compute_unit_blkio_read_total_bytes', 'node_disk_read_bytes_total'),
      disks('slurm:job:disk_written_bytes_per_second', 'ceems_compute_unit_blkio_write_total_bytes', 'node_disk_written_bytes_total'),

      part('slurm:job:nfs_read_bytes_per_second', 'node_mountstats_nfs_total_read_bytes_total'),
      part('slurm:job:nfs_written_bytes_per_second', 'node_mountstats_nfs_total_write_bytes_total'),
      part('slurm:job:nfs_requests_per_second', 'node_mountstats_nfs_operations_requests_total'),
      // Those that carry no data: names, attributes, locks. Most file servers stand fewest of these.
      part('slurm:job:nfs_metadata_requests_per_second',
           'node_mountstats_nfs_operations_requests_total{' + std.strReplace(data, '=~', '!~') + '}'),
      // from when a request was queued, and from when it was sent, to its answer
      mean('slurm:job:nfs_request_seconds', 'node_mountstats_nfs_operations_request_time_seconds_total'),
      mean('slurm:job:nfs_response_seconds', 'node_mountstats_nfs_operations_response_time_seconds_total'),
      part('slurm:job:nfs_retransmissions_per_second', 'node_nfs_rpc_retransmissions_total'),

      // All file systems, as the job's processes asked the kernel (ceems' eBPF).
      measured('slurm:job:file_read_bytes_per_second', joins.ceems('ceems_ebpf_read_bytes_total', joins.rate)),
      measured('slurm:job:file_written_bytes_per_second', joins.ceems('ceems_ebpf_write_bytes_total', joins.rate)),
      // Lustre's servers know the ID of the job by themselves (jobid_var).
      lustre('slurm:job:lustre_read_bytes_per_second', 'lustre_job_read_bytes_total'),
      lustre('slurm:job:lustre_written_bytes_per_second', 'lustre_job_write_bytes_total'),
      lustre('slurm:job:lustre_operations_per_second', 'lustre_job_stats_total'),

      part('slurm:job:infiniband_received_bytes_per_second', 'node_infiniband_port_data_received_bytes_total'),
      part('slurm:job:infiniband_transmitted_bytes_per_second', 'node_infiniband_port_data_transmitted_bytes_total'),
    ],
}
