local alert = import 'alert.libsonnet';

// Near the limit while jobs wait for such limits; where it counts submissions, none waits: they are refused.
local nearLimit = |||
  (
    %(ratio)s > %(share)g
    and on (%(c)s) sum by (%(c)s) (slurm_cluster_pending_jobs{reason=~"%(reasons)s.*", %(s)s}) > 0
  )
  or %(ratio)s{resource="submitted_jobs"} > %(share)g
|||;

{
  alerts(config):: [
    alert(config, 'SlurmLicensesExhausted', 'report', config.licenses, |||
      max by (%(c)s, license) (slurm_licenses_configured{%(s)s}) > 0
      and on (%(c)s, license) min by (%(c)s, license) (slurm_licenses{state="free", %(s)s}) <= 0
      and on (%(c)s) max by (%(c)s) (slurm_cluster_pending_jobs{reason="Licenses", %(s)s}) > 0
    |||, 'A licence is used up, and jobs wait for licences.', |||
      None of the {{ $value | printf "%%.0f" }} licences {{ $labels.license }}%(of)s has been free for %(for)s, and jobs wait for licences: scontrol show lic {{ $labels.license }}; squeue -a -t PD -o "%%i %%u %%W %%r" | grep Licenses
    |||),
    // No CPU at all: jobs that use its GPUs may hold few.
    alert(config, 'SlurmReservationIdle', 'report', config.reservationIdle, |||
      max by (%(c)s, reservation) (max_over_time(slurm_reservation_cpus_allocated{%(s)s}[%(window)s])) == 0
      and on (%(c)s, reservation) max by (%(c)s, reservation) (slurm_reservation_cpus{%(s)s}) > 0
      and on (%(c)s, reservation) slurm_reservation_active{%(s)s} == 1
      unless on (%(c)s, reservation) slurm_reservation_info{flags=~".*MAINT.*", %(s)s}
    |||, 'A reservation is not used.', |||
      No job has used reservation {{ $labels.reservation }}%(of)s for %(for)s: scontrol show res {{ $labels.reservation }}
    |||),
    alert(config, 'SlurmQOSNearLimit', 'report', config.nearLimit {
      ratio: 'cluster_qos_resource:slurm_qos_usage_per_limit:ratio',
      reasons: 'QOS',
    }, nearLimit, 'A QOS is at its limit.', |||
      Jobs of QOS {{ $labels.qos }}%(of)s hold {{ $value | humanizePercentage }} of its limit of {{ $labels.resource }}: scontrol show assoc_mgr qos={{ $labels.qos }} flags=qos
    |||),
    alert(config, 'SlurmAssociationNearLimit', 'report', config.nearLimit {
      ratio: 'cluster_association_resource:slurm_association_usage_per_limit:ratio',
      reasons: 'Assoc',
    }, nearLimit, 'An account or user is at its limit.', |||
      Jobs of account {{ $labels.account }}{{ with $labels.user }}, user {{ . }}{{ end }}{{ with $labels.partition }}, partition {{ . }}{{ end }}%(of)s hold {{ $value | humanizePercentage }} of its limit of {{ $labels.resource }}: scontrol show assoc_mgr accounts={{ $labels.account }} flags=assoc
    |||),
    alert(config, 'SlurmBudgetSpent', 'user_support', config.budgets, |||
      cluster_association_resource:slurm_association_budget:used_ratio >= 1
    |||, 'A budget is spent.', |||
      Account {{ $labels.account }}{{ with $labels.user }}, user {{ . }}{{ end }}{{ with $labels.partition }}, partition {{ . }}{{ end }}%(of)s has used {{ $value | humanizePercentage }} of its {{ $labels.resource }} (GrpTRESMins); its jobs wait: scontrol show assoc_mgr accounts={{ $labels.account }} flags=assoc
    |||),
    alert(config, 'SlurmBudgetSoonSpent', 'user_support', config.budgets, |||
      cluster_association_resource:slurm_association_budget:seconds_left < %(days)g * 86400
      and cluster_association_resource:slurm_association_budget:left > 0
    |||, 'A budget is soon spent.', |||
      At the pace of the last %(window)s account {{ $labels.account }}{{ with $labels.user }}, user {{ . }}{{ end }}{{ with $labels.partition }}, partition {{ . }}{{ end }}%(of)s has used up its {{ $labels.resource }} (GrpTRESMins) in {{ $value | humanizeDuration }}: sshare -A {{ $labels.account }} -o Account,User,GrpTRESMins,GrpTRESRaw,TRESRunMins
    |||),
    alert(config, 'SlurmGPUsIdle', 'user_support', config.gpusIdle, |||
      (
        avg_over_time(slurm:job:gpu_utilization_ratio[%(window)s]) < %(gpuBusy)g
        and on (%(c)s, jobid) slurm:job:gpus > 0
      )
      * on (%(c)s, jobid) group_left (user, account, partition) max by (%(c)s, jobid, user, account, partition) (slurm_job_info{%(s)s})
    |||, 'A job holds GPUs and does not use them.', |||
      The GPUs of job {{ $labels.jobid }}%(of)s, of user {{ $labels.user }} and account {{ $labels.account }}, were busy for {{ $value | humanizePercentage }} of the last %(window)s: scontrol show job {{ $labels.jobid }}
    |||),
    // Only where jobs wait: shares that nobody wants are nobody's loss.
    alert(config, 'SlurmFairshareDrift', 'report', config.fairshareDrift, |||
      -cluster_account:slurm_account_fairshare_drift:avg%(window)s > %(drift)g
      and on (%(c)s, account) sum by (%(c)s, account) (slurm_account_pending_jobs{class="startable", %(s)s}) > 0
    |||, 'An account gets much less than its share, and its jobs wait.', |||
      Account {{ $labels.account }}%(of)s is {{ $value | humanizePercentage }} below its share of what it and its siblings used, and its jobs wait: sshare -a -l -A {{ $labels.account }}; sprio -l
    |||),
  ],
}
