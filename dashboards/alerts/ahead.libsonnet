// What is not as usual (rules/ahead.libsonnet). Each has a guard of volume, so that 3 in place of 1 alert nobody.
local alert = import 'alert.libsonnet';
local fill = (import '../texts.libsonnet').fill;

{
  alerts(config):: [
    // The worst hours of a site are its own measure.
    alert(config, 'SlurmSubmissionsUnusual', 'ticket', config.ahead.submissions, |||
      cluster:slurm_job_submissions:sustained1h_per_usual
      > clamp_min(%(spread)g * cluster:slurm_job_submissions:sustained1h_per_usual_p98, %(times)g)
      and cluster:slurm_job_submissions:sustained1h >= %(jobs)d
    |||, 'Many more jobs are submitted than usual.', |||
      {{ $value | printf "%%.0f" }} times as many jobs as at this hour of the last weeks were submitted%(of)s for more than %(for)s: squeue -h -a -r -o %%u | sort | uniq -c | sort -n | tail; sdiag --sort-by-time
    |||),

    // Of users without a row four weeks ago nothing was usual.
    alert(config, 'SlurmUserRPCUnusual', 'user_support', config.ahead.userLoad, |||
      cluster_user:slurm_user_rpc_seconds:rate1h{user!="root"} > %(share)g
      and
        cluster_user:slurm_user_rpc_seconds:rate1h{user!="root"}
        > %(times)g * (cluster_user:slurm_user_rpc_seconds:rate1h_usual_high or 0 * cluster_user:slurm_user_rpc_seconds:rate1h)
      and
        cluster_user:slurm_user_rpc_seconds:rate1h{user!="root"}
        > %(spread)g * (cluster_user:slurm_user_rpc_seconds:rate1h_p95 offset 6h or 0 * cluster_user:slurm_user_rpc_seconds:rate1h)
      and on (%(c)s) cluster:slurm_job_submissions:sustained1h_usual
    |||, 'A user loads slurmctld much more than usual.', |||
      Requests of user {{ $labels.user }}%(of)s keep a thread of slurmctld busy for {{ $value | humanizePercentage }} of the time, more than %(times)g times the usual of this hour: sdiag --sort-by-time
    |||),

    // `sigmas`: what chance does not explain of that number of jobs.
    alert(config, 'SlurmFailuresRising', 'report', config.ahead.failures, |||
      cluster:slurm_job_failures_per_job_end:ratio_increase1d_week
      > cluster:slurm_job_failures_per_job_end:ratio_increase1d_month + %(share)g
      and
        cluster:slurm_job_failures_per_job_end:ratio_increase1d_week
        > cluster:slurm_job_failures_per_job_end:ratio_increase1d_month_high
      and
        (
          cluster:slurm_job_failures_per_job_end:ratio_increase1d_week
          - cluster:slurm_job_failures_per_job_end:ratio_increase1d_month
        ) * 7 * cluster:slurm_job_ends:increase1d_week
        > %(sigmas)g * sqrt(
          7 * cluster:slurm_job_ends:increase1d_week * cluster:slurm_job_failures_per_job_end:ratio_increase1d_month + 1
        )
    |||, 'More jobs fail from week to week.', |||
      On the usual day of the last week {{ $value | humanizePercentage }} of the jobs%(of)s failed, more than on almost all days of the four weeks before: sacct -a -X -S now-7days -s F,NF,BF,OOM -o JobID,User,Partition,NodeList,State,ExitCode
    |||),

    alert(config, 'SlurmJobMemoryRising', 'report', config.ahead.memory, |||
      cluster:slurm_job_memory_bytes_per_cpu:avg1d_week
      > %(times)g * cluster:slurm_job_memory_bytes_per_cpu:avg1d_month
      and cluster:slurm_job_memory_bytes_per_cpu:avg1d_week > cluster:slurm_job_memory_bytes_per_cpu:avg1d_month_high
      and cluster:slurm_job_ends:increase1d_week >= %(jobs)d
    |||, 'Jobs hold more memory from week to week.', |||
      On the usual day of the last week jobs%(of)s held {{ $value | humanize1024 }}B of memory for each CPU, more than on almost all days before: squeue -a -t R -o "%%i %%u %%P %%C %%m" | sort -k 5 -h | tail
    |||),

    // A maintenance is over within the day, or it is a loss.
    alert(config, 'SlurmCapacityShrinking', 'ticket', config.ahead.capacity, |||
      cluster:slurm_cpus_lost_per_cpu:min1d - cluster:slurm_cpus_lost_per_cpu:min1d_month
      >= clamp_min(%(nodes)g / sum by (%(c)s) (slurm_cluster_nodes{state!="", %(s)s}), %(share)g)
    |||, 'More and more of the cluster is out of service.', |||
      {{ $value | humanizePercentage }} of the CPUs%(of)s have been out of service all day, beyond what was usual in the weeks before: sinfo -R
    |||),

    // Where jobs wait, it is time that is lost.
    alert(config, 'SlurmThroughputFalling', 'report', config.ahead.throughput, |||
      cluster:slurm_job_ends_per_cpu:increase1d_week / cluster:slurm_job_ends_per_cpu:increase1d_month < %(share)g
      and cluster:slurm_job_ends_per_cpu:increase1d_week < cluster:slurm_job_ends_per_cpu:increase1d_month_low
      and cluster:slurm_job_ends:increase1d_week >= %(jobs)d
      and cluster:slurm_startable_jobs:avg1d_week >= %(waiting)d
    |||, 'Fewer jobs end from week to week on the same CPUs, and jobs wait.', |||
      On the usual day of the last week {{ $value | humanizePercentage }} as many jobs%(of)s ended, for each CPU that jobs held, as in the weeks before: sinfo -R; sdiag; sacct -a -X -S now-7days -o JobID,Partition,Elapsed,State
    |||),

    local table = config.jobTable;
    alert(config, 'SlurmJobTableSoonFull', 'ticket', config.ahead.jobTable, fill(|||
      cluster:slurm_controller_job_records:ahead1d / %s > 1
      and max by (%%(c)s) (slurm_controller_job_records{%%(s)s}) / %s > %%(share)g
    |||, [if table.max == null then 'max by (%(c)s) (slurm_controller_max_job_records{%(s)s})' else fill('%d', table.max) for _ in [1, 2]]), 'slurmctld can soon take no more jobs.', |||
      At the pace of the last %(trend)s the jobs%(of)s exceed MaxJobCount within a day; then submissions are refused: squeue -h -a -o %%u | sort | uniq -c | sort -n | tail
    |||),
  ],
}
