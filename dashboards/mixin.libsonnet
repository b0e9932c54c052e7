// A monitoring mixin: `_config`, `prometheusRules`, `prometheusAlerts`, `grafanaDashboards`.
//
//	(import 'mixin.libsonnet') + { _config+:: { selector: 'job="slurm"' } }
(import 'config.libsonnet') +
(import 'rules/rules.libsonnet') +
(import 'rules/vpenso.libsonnet') +
(import 'rules/old_names.libsonnet') +
(import 'alerts/alerts.libsonnet') +
(import 'boards/boards.libsonnet')
