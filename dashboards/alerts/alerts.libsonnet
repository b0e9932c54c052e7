// Alerts: symptoms first, each with a guard against little traffic and blips, and a page in ../runbooks.
// What silences what is in deploy/prometheus/alertmanager.yml.
local ahead = import 'ahead.libsonnet';
local controller = import 'controller.libsonnet';
local exporter = import 'exporter.libsonnet';
local gpus = import 'gpus.libsonnet';
local jobs = import 'jobs.libsonnet';
local nodes = import 'nodes.libsonnet';
local outages = import 'outages.libsonnet';
local use = import 'use.libsonnet';

{
  prometheusAlerts+:: {
    groups+: [
      { name: 'slurm_jobs', rules: jobs.alerts($._config) },
      { name: 'slurm_nodes', rules: nodes.alerts($._config) },
      { name: 'slurm_node_outages', rules: outages.alerts($._config) },
      { name: 'slurm_gpus', rules: gpus.alerts($._config) },
      { name: 'slurm_controller', rules: controller.alerts($._config) },
      { name: 'slurm_use', rules: use.alerts($._config) },
      { name: 'slurm_unusual', rules: ahead.alerts($._config) },
      { name: 'slurmscope', rules: exporter.alerts($._config) },
    ],
  },
}
