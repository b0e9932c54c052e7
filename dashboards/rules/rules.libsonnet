// Recording rules. Names are level:metric:operation; the level is the labels that are left. They are what alerts
// and dashboards are made of, and what is worth a long retention.
local ahead = import 'ahead.libsonnet';
local capacity = import 'capacity.libsonnet';
local cost = import 'cost.libsonnet';
local failures = import 'failures.libsonnet';
local fleet = import 'fleet.libsonnet';
local gpus = import 'gpus.libsonnet';
local jobs = import 'jobs.libsonnet';
local outages = import 'outages.libsonnet';
local owners = import 'owners.libsonnet';
local use = import 'use.libsonnet';
local waits = import 'waits.libsonnet';

{
  prometheusRules+:: {
    groups+: [
      { name: 'slurm_job_failures', rules: failures.rules($._config) },
      { name: 'slurm_job_waits', rules: waits.rules($._config) },
      { name: 'slurm_use', rules: use.rules($._config) },
      { name: 'slurm_efficiency', interval: $._config.efficiency.every, rules: use.longRules($._config) },
      { name: 'slurm_jobs', rules: jobs.rules($._config) },
      { name: 'slurm_job_io', rules: jobs.ioRules($._config) },
      { name: 'slurm_gpus', rules: gpus.rules($._config) },
      { name: 'slurm_job_owners', rules: owners.rules($._config) },
      { name: 'slurm_cost', rules: cost.rules($._config) },
      { name: 'slurm_fleet', rules: fleet.rules($._config) },
      { name: 'slurm_outages', interval: $._config.outages.every, rules: outages.rules($._config) },
      { name: 'slurm_capacity', interval: $._config.capacity.every, rules: capacity.rules($._config) },
      { name: 'slurm_ahead', interval: $._config.ahead.every, rules: ahead.rules($._config) },
    ],
  },
}
