// The rules and alerts of the mixin for tests that cannot wait: windows of a minute or two, `for` of five seconds.
//
//   jsonnet --string --multi FOLDER tests/dashboards/hurry.jsonnet
// An object's fields are evaluated each time that they are read; those of JSON are there.
local slow = import '../../dashboards/mixin.libsonnet', numbers = std.parseJson(std.toString(slow._config));
local hurried(numbers) = {
  [name]:
    if name == 'for' then '5s'
    else if std.isObject(numbers[name]) then hurried(numbers[name])
    else numbers[name]
  for name in std.objectFields(numbers)
};

local mixin = slow + {
  _config:: std.parseJson(std.toString(hurried(numbers))) + {
    rateWindow: '1m',
    // slurmctld that ends answers nobody for 10 s on a busy machine before it is seen to be down
    cutOff+: { 'for': '30s' },
    efficiency+: { window: '1m', hour: '30s', longer: ['2m', '3m'], every: '5s' },
    capacity+: { every: '5s' },
    outages+: { windows: ['2m', '3m'], hour: '30s', every: '5s' },
    jobFailures+: { window: '1m', hours: '2m', day: '3m' },
    jobTimeouts+: { usual: '2m' },
    // of two nodes that fail one after the other, one fails alone for a moment
    blackHole+: { window: '1m', 'for': '30s' },
    waitSlo+: { fast+: { long: '1m', short: '30s' }, slow+: { long: '1m', short: '30s' } },
    queueStalled+: { window: '1m' },
    nodesBurst+: { window: '1m' },
    nodesStuck+: { window: '1m' },
    nodesRebooted+: { window: '1m' },
    nodeFlapping+: { window: '1m', step: '5s' },
    nodeReboots+: { window: '1m', step: '5s' },
    nodesPowering+: { window: '1m' },
    requestsDropped+: { window: '1m' },
    slowPing+: { window: '1m' },
    folded+: { known: '1m' },
    threads+: { window: '1m' },
    agentQueue+: { window: '1m', trend: '1m' },
    accountingQueue+: { trend: '1m' },
    // a scheduler without events has a cycle a minute, and Prometheus has seen none when it begins
    schedulerStuck+: { window: '2m', 'for': '90s' },
    backfillIncomplete+: { window: '1m' },
    reservationIdle+: { window: '1m' },
    budgets+: { window: '1m' },
    gpusIdle+: { window: '1m' },
    gpuErrors+: { window: '1m', programsWindow: '1m' },
    gpuMemory+: { window: '1m' },
    gpuLinks+: { window: '1m' },
    fairshareDrift+: { window: '1m' },
    exporterDown+: { seen: '1m' },
    eventsLost+: { window: '1m' },
    stateErrors+: { window: '1m' },
    token+: { keep: '10s', left: 0, unchanged: '1m' },
  },
};

// JSON is YAML, too, and toString makes it in less time than manifestYamlDoc.
{
  'slurmscope.rules.yml': std.toString(mixin.prometheusRules),
  'slurmscope.alerts.yml': std.toString(mixin.prometheusAlerts),
}
