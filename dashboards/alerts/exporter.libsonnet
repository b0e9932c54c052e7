local alert = import 'alert.libsonnet';

{
  alerts(config):: [
    // a target that was a slurmscope within the last days
    alert(config, 'SlurmscopeDown', 'page', config.exporterDown, |||
      up{%(s)s} == 0
      and on (job, instance) last_over_time(slurmscope_build_info{%(s)s}[%(seen)s])
      unless on (%(c)s) max by (%(c)s) (slurmscope_leader{%(s)s}) == 1
    |||, 'Slurmscope cannot be scraped.', |||
      Prometheus has not reached slurmscope on {{ $labels.instance }}%(of)s for %(for)s; nothing is known of this Slurm: systemctl status slurmscope
    |||),
    alert(config, 'SlurmscopeStandbyDown', 'ticket', config.exporterDown, |||
      up{%(s)s} == 0
      and on (job, instance) last_over_time(slurmscope_build_info{%(s)s}[%(seen)s])
      and on (%(c)s) max by (%(c)s) (slurmscope_leader{%(s)s}) == 1
    |||, 'One of several slurmscopes cannot be scraped.', |||
      Prometheus has not reached slurmscope on {{ $labels.instance }}%(of)s for %(for)s. Another one leads; should its controller fail, nobody takes over: systemctl status slurmscope
    |||),
    alert(config, 'SlurmscopeLeaders', 'page', config.leaders, |||
      sum by (%(c)s) (slurmscope_leader{%(s)s}) == 0
    |||, 'No slurmscope leads.', |||
      All slurmscopes%(of)s have stood by for %(for)s; nothing is known of this Slurm but what ping says. Why: the page for people of each
    |||),
    alert(config, 'SlurmscopeLeaders', 'ticket', config.leaders, |||
      sum by (%(c)s) (slurmscope_leader{%(s)s}) > 1
    |||, 'Several slurmscopes tell of one cluster.', |||
      {{ $value }} slurmscopes%(of)s have exported it for %(for)s, so sums count everything that many times. Set ha: follow-controller for each of them, or a label for each cluster
    |||),
    alert(config, 'SlurmscopeAbsent', 'page', config.exporterAbsent, |||
      absent(slurmscope_build_info{%(s)s})
    |||, 'No slurmscope is scraped at all.', |||
      Prometheus has no target that is a slurmscope, or reaches none of them.
    |||),
    // While diag fails the others wait for it, and their last answers were good; ping needs no token.
    alert(config, 'SlurmscopeCutOff', 'page', config.cutOff, |||
      max by (%(c)s) (slurmscope_endpoint_up{endpoint="diag", %(s)s}) == 0
      unless on (%(c)s) max by (%(c)s) (slurm_controller_up{%(s)s}) == 0
    |||, 'Slurmscope learns nothing from slurmrestd.', |||
      Slurmscope%(of)s gets no answer that could be used: slurmrestd is down, or does not take the token; with Slurm 22.05 slurmctld may be down. systemctl status slurmrestd; journalctl -u slurmscope
    |||),
    // The value is 0 for what never gave an answer. jobs/{id} is asked for only when jobs change.
    alert(config, 'SlurmscopeDataStale', 'ticket', config.stale, |||
      (
        time() - max by (%(c)s, endpoint) (slurmscope_endpoint_last_success_timestamp_seconds{endpoint!="job", %(s)s})
        > clamp_min(%(intervals)d * max by (%(c)s, endpoint) (slurmscope_endpoint_interval_seconds{%(s)s}), %(seconds)d)
      )
      or (
        max by (%(c)s, endpoint) (slurmscope_endpoint_up{%(s)s}) == 0
        unless max by (%(c)s, endpoint) (slurmscope_endpoint_last_success_timestamp_seconds{%(s)s})
      )
    |||, 'What slurmscope shows is old.', |||
      What {{ $labels.endpoint }}%(of)s said {{ if gt $value 0.0 }}is {{ $value | humanizeDuration }} old{{ else }}is not known: it never answered{{ end }}. Why: /plan of slurmscope; journalctl -u slurmscope
    |||),
    alert(config, 'SlurmscopeOverBudget', 'ticket', config.overBudget, |||
      label_replace(
        max by (%(c)s) (slurmscope_duty_ratio{%(s)s}) / max by (%(c)s) (slurmscope_duty_budget_ratio{%(s)s}) > %(times)g,
        "daemon", "slurmrestd", "", ""
      )
      or
      label_replace(
        max by (%(c)s) (slurmscope_slurmctld_duty_ratio{%(s)s}) / max by (%(c)s) (slurmscope_slurmctld_duty_budget_ratio{%(s)s}) > %(times)g,
        "daemon", "slurmctld", "", ""
      )
    |||, 'Slurmscope costs Slurm more than it may.', |||
      {{ $labels.daemon }}%(of)s works for slurmscope {{ $value | printf "%%.1f" }} times as much as the budget allows. Why: /plan of slurmscope
    |||),
    alert(config, 'SlurmscopeTokenExpiring', 'page', config.token, |||
      time() - min by (%(c)s) (slurmscope_token_expiry_timestamp_seconds{%(s)s}) >= 0
    |||, 'The token of slurmscope has expired.', |||
      The token of slurmscope%(of)s expired {{ $value | humanizeDuration }} ago; slurmrestd refuses it. Renew its file: scontrol token username=slurmscope lifespan=7200
    |||),
    alert(config, 'SlurmscopeTokenExpiring', 'ticket', config.token, |||
      min by (%(c)s) (slurmscope_token_expiry_timestamp_seconds{%(s)s}) - time() > 0 < %(seconds)d
      or
      min by (%(c)s) (
        slurmscope_token_expiry_timestamp_seconds{%(s)s} - time() > 0 < %(left)d
        and changes(slurmscope_token_expiry_timestamp_seconds{%(s)s}[%(unchanged)s]) == 0
        and slurmscope_token_expiry_timestamp_seconds{%(s)s} offset %(unchanged)s
      )
    |||, 'The token of slurmscope is not renewed.', |||
      The token of slurmscope%(of)s expires in {{ $value | humanizeDuration }}. Renew its file: scontrol token username=slurmscope lifespan=7200
    |||),
    // Without slurmdbd nobody tells of ends: that has an alert of its own.
    alert(config, 'SlurmscopeEndsBehind', 'ticket', config.endsBehind, |||
      time() - min by (%(c)s) (slurmscope_job_ends_known_until_timestamp_seconds{%(s)s}) > %(seconds)d
      unless on (%(c)s) max by (%(c)s) (slurmscope_endpoint_up{endpoint="dbd_jobs", %(s)s}) == 0
    |||, 'Ends of jobs are counted late.', |||
      Slurmscope%(of)s has not counted the jobs that ended in the last {{ $value | humanizeDuration }}. More jobs end than the budget can read. Raise --budget.slurmrestd; see /plan of slurmscope
    |||),
    alert(config, 'SlurmscopeEventsLost', 'ticket', config.eventsLost, |||
      sum by (%(c)s) (increase(slurmscope_job_events_lost_total{%(s)s}[%(window)s])) > 0
    |||, 'Of some jobs nobody can tell how they ended.', |||
      The ends of {{ $value | printf "%%.0f" }} jobs%(of)s of the last %(window)s are not counted: slurmctld forgot the jobs before slurmscope saw their end, and slurmdbd did not have them.
    |||),
    alert(config, 'SlurmscopeStateNotWritten', 'ticket', config.stateErrors, |||
      sum by (%(c)s) (increase(slurmscope_state_errors_total{%(s)s}[%(window)s])) > 0
    |||, 'Slurmscope cannot write its state.', |||
      {{ $value | printf "%%.0f" }} writes of the state file%(of)s failed in the last %(window)s; what is counted meanwhile is lost if slurmscope ends: df; journalctl -u slurmscope
    |||),
    alert(config, 'SlurmscopeConfigRefused', 'ticket', config.configRefused, |||
      label_replace(slurmscope_config_last_reload_successful{%(s)s} == 0, "option", "--config.file", "", "")
      or
      label_replace(slurmscope_web_config_last_reload_successful{%(s)s} == 0, "option", "--web.config.file", "", "")
    |||, 'The new configuration of slurmscope is invalid.', |||
      The file of {{ $labels.option }} of slurmscope on {{ $labels.instance }} was changed and is invalid. slurmscope goes on with the one before, and the next start will fail. What is wrong: slurmscope's page for people; slurmscope --check-config
    |||),

    alert(config, 'SlurmscopeCertificateExpiring', 'ticket', config.certificate, |||
      slurmscope_web_certificate_expiry_timestamp_seconds{%(s)s} - time() < %(seconds)d
    |||, 'The certificate of slurmscope expires.', |||
      The certificate that slurmscope serves on {{ $labels.instance }}%(of)s expires in {{ $value | humanizeDuration }}; then Prometheus no longer reads it. Renew the file: it is read at once
    |||),
    alert(config, 'SlurmscopeCoverageLow', 'ticket', config.coverage, |||
      min by (%(c)s) (slurmscope_coverage_ratio{%(s)s}) < %(share)g
    |||, 'Slurmscope does not know all jobs.', |||
      Slurmscope%(of)s knows {{ $value | humanizePercentage }} of the jobs that slurmctld counts. Slurm hides the others from it, or the budget is short: slurmscope doctor; /plan of slurmscope
    |||),
    // What is folded for long is known, and mostly meant.
    // Of single jobs only the largest have rows, so that some are left out says nothing.
    alert(config, 'SlurmscopeSeriesFolded', 'report', config.folded, |||
      sum by (%(c)s, family) (slurmscope_series_folded{family!~"slurm_((pending|ended)_)?job_.*", %(s)s}) > 0
      unless sum by (%(c)s, family) (slurmscope_series_folded{%(s)s} offset %(known)s) > 0
    |||, 'Slurmscope leaves rows out.', |||
      {{ $value | printf "%%.0f" }} samples of {{ $labels.family }}%(of)s are kept off the page by a limit or filter, and were not %(known)s ago. What can be added up is in the row other
    |||),
    // It says nothing of any cluster: it says that alerts arrive.
    alert(config, 'SlurmscopeWatchdog', 'watchdog', {}, 'vector(1)', 'Alerts arrive.', |||
      This alert always fires. Where it stops arriving, Prometheus or Alertmanager does not work, and no other alert arrives either
    |||),
  ],
}
