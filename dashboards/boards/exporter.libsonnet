local fill = (import '../texts.libsonnet').fill;

function(b)
  // of the processes that tell of the clusters chosen
  local process(expression) = expression + ' and on (instance, job) slurmscope_leader{@}';
  local rate(family, by='', where='') = fill('sum %s(rate(%s{@%s}[$__rate_interval]))', [if by == '' then '' else fill('by (%s) ', by), family, where]);

  b.board(
    'exporter',
    'Exporter',
    'Whether slurmscope keeps up, how old what it shows is, and what it costs Slurm.',
    variables=[],
    time='now-3h',
    rows=[
      b.row('Is it well?', 'Not known', height=4, panels=[
        b.stat('Endpoints down', 'Endpoints of slurmrestd that gave no usable answer last time.', 'short', [
          ['endpoints', 'count(slurmscope_endpoint_up{@} == 0) or 0 * count(slurmscope_endpoint_up{@})'],
        ]) + b.above('endpointsDown'),
        b.stat('Oldest answer', 'Age of the oldest answer, in intervals of its endpoint: above three, it is late.', 'short', [
          ['intervals', 'max((time() - slurmscope_endpoint_last_success_timestamp_seconds{@}) / slurmscope_endpoint_interval_seconds{@})'],
        ]) + b.above('answerAge'),
        b.stat('Coverage', 'Pending and running jobs that are known, of those that slurmctld counts.', 'percentunit', [
          ['jobs', 'min(slurmscope_coverage_ratio{@})'],
        ]) + b.below('coverage') + b.bounds(0, 1),
        b.stat('Token', 'How long the token is good for.', 's', [
          ['left', 'min(slurmscope_token_expiry_timestamp_seconds{@}) - time()'],
        ]) + b.empty('No token') + b.below('token'),
        b.stat('Budget used', 'Working time that slurmrestd and slurmctld spent for slurmscope in ten minutes, of what it may take.', 'percentunit', [
          ['slurmrestd', 'max(slurmscope_duty_ratio{@} / slurmscope_duty_budget_ratio{@})'],
          ['slurmctld', 'max(slurmscope_slurmctld_duty_ratio{@} / slurmscope_slurmctld_duty_budget_ratio{@})'],
        ]) + b.above('budget'),
        b.stat('Events lost', 'Jobs of which nobody could tell how they ended, in the time shown.', 'short', [
          ['jobs', 'sum(increase(slurmscope_job_events_lost_total{@}[$__range]))'],
        ]) + b.empty('None') + b.above('eventsLost'),
        b.stat('Version', 'What runs, by version.', 'short', [
          ['{{version}}', fill('count by (version) (%s)', process('slurmscope_build_info{~}'))],
        ]) + b.empty('No slurmscope') + { options+: { textMode: 'name' } },
      ]),
      b.row('Endpoints', 'No slurmscope', height=10, panels=[
        b.table('Endpoints', 'What is read, how, how often, and how old it is. In words: /plan of slurmscope.', [
          b.key('endpoint', 'Endpoint'),
          b.key('strategy', 'How'),
        ], [
          b.column('is', 'short', 'max by (@, endpoint, strategy) (slurmscope_plan_info{@})') + b.cellHidden,
          b.column('Up', 'short', 'min by (@, endpoint) (slurmscope_endpoint_up{@})') + b.yesOrNo,
          b.column('Interval', 's', 'max by (@, endpoint) (slurmscope_endpoint_interval_seconds{@})'),
          b.column('Age', 's', 'time() - min by (@, endpoint) (slurmscope_endpoint_last_success_timestamp_seconds{@})'),
          b.column('Answer, P95', 's', 'histogram_quantile(0.95, sum by (@, endpoint, le) (increase(slurmscope_request_seconds_bucket{@}[$__range])))'),
          b.column('Requests', 'short', 'sum by (@, endpoint) (increase(slurmscope_requests_total{@}[$__range]))'),
          b.column('Bytes', 'bytes', 'sum by (@, endpoint) (increase(slurmscope_response_bytes_total{@}[$__range]))'),
        ], 'Endpoint') + b.wide(14),
        b.graph('Age of what is shown', 'Since the last usable answer of each endpoint.', 's', [
          ['{{endpoint}}', 'time() - min by (@, endpoint) (slurmscope_endpoint_last_success_timestamp_seconds{@})'],
        ]),
      ]),
      b.row('Cost', 'Not known', height=8, panels=[
        b.graph('Time of slurmrestd', 'Share of the last ten minutes that slurmrestd worked for slurmscope, and what it may.', 'percentunit', [
          ['used', 'max(slurmscope_duty_ratio{@})'],
          ['budget', 'max(slurmscope_duty_budget_ratio{@})'],
        ]),
        b.graph('Time of slurmctld', 'Share of the last ten minutes that slurmctld worked for slurmscope, and what it may.', 'percentunit', [
          ['used', 'max(slurmscope_slurmctld_duty_ratio{@})'],
          ['budget', 'max(slurmscope_slurmctld_duty_budget_ratio{@})'],
        ]),
        b.graph('Requests to slurmctld', "Requests that slurmctld served for slurmscope's user, per second, by its own account.", 'ops', [
          ['requests', rate('slurmscope_slurmctld_rpc_requests_total')],
        ]),
        b.graph('Seconds of slurmctld', "Seconds in a second that it spent on slurmscope's user, waiting for locks included.", 'short', [
          ['seconds', rate('slurmscope_slurmctld_rpc_seconds_total')],
        ]),
      ]),
      b.row('Requests', 'No requests', height=8, panels=[
        b.graph('By endpoint', 'Requests to slurmrestd in a second.', 'ops', [
          ['{{endpoint}}', rate('slurmscope_requests_total', '@, endpoint') + ' > 0'],
        ]) + b.stacked,
        b.graph('That failed', 'Requests in a second that gave no usable answer, by why.', 'ops', [
          ['{{endpoint}}: {{result}}', rate('slurmscope_requests_total', '@, endpoint, result', ',result!~"ok|unchanged"') + ' > 0'],
        ]) + b.empty('None failed') + b.stacked,
        b.graph('Answer time, P95', 'Until the last byte, by endpoint.', 's', [
          ['{{endpoint}}', 'histogram_quantile(0.95, sum by (@, endpoint, le) (rate(slurmscope_request_seconds_bucket{@}[$__rate_interval])))'],
        ]),
        b.graph('Bytes', 'Answers of slurmrestd in a second.', 'Bps', [
          ['{{endpoint}}', rate('slurmscope_response_bytes_total', '@, endpoint') + ' > 0'],
        ]) + b.stacked,
      ]),
      b.row('Jobs and events', 'Not known', height=8, collapsed=true, panels=[
        b.graph('Jobs without details', 'Jobs of which only the state is known.', 'short', [
          ['jobs', 'sum(slurmscope_jobs_without_details{@})'],
        ]),
        b.graph('Age of details', 'Since the oldest of the details of living jobs were read.', 's', [
          ['oldest', 'time() - min(slurmscope_job_details_oldest_timestamp_seconds{@})'],
        ]),
        b.graph('Age of ends', 'Jobs that ended longer ago than this are counted. It grows if more jobs end than the budget can read.', 's', [
          ['known', 'time() - min(slurmscope_job_ends_known_until_timestamp_seconds{@})'],
        ]),
        b.graph('Steps given up', 'Ended jobs in an hour of which it is not known what they used.', 'short', [
          ['jobs', '3600 * ' + rate('slurmscope_job_steps_given_up_total')],
        ]) + b.empty('None'),
        b.graph('Events found afterwards, and lost', 'Events that happened while no slurmscope looked, per hour; those lost nobody could tell of.', 'short', [
          ['found', '3600 * ' + rate('slurmscope_job_events_recovered_total')],
          ['lost', '3600 * ' + rate('slurmscope_job_events_lost_total')],
        ]),
        b.graph('State file', 'Since it was last written, and per hour how often that failed.', 'short', [
          ['age, in seconds', 'time() - min(slurmscope_state_last_commit_timestamp_seconds{@})'],
          ['errors', '3600 * ' + rate('slurmscope_state_errors_total')],
        ]) + b.empty('No state file (--state.path)'),
      ]),
      b.row('The page and the process', 'No slurmscope', height=8, collapsed=true, panels=[
        b.graph('Series', 'Samples on the page, and those that a limit or filter keeps off it.', 'short', [
          ['shown', 'sum(slurmscope_series{@})'],
          ['folded', 'sum(slurmscope_series_folded{@})'],
        ]) + b.wide(8),
        b.bars('Largest families', 'The ten families with the most samples.', 'short', [
          ['{{family}}', 'topk(10, sum by (@, family) (slurmscope_series{@}))'],
        ]) + b.wide(8),
        b.graph('CPU', 'CPU time in a second.', 'short', [
          ['slurmscope', fill('sum(%s)', process('rate(process_cpu_seconds_total{~}[$__rate_interval])'))],
        ]) + b.wide(8),
        b.graph('Memory', 'Memory that the process holds (resident).', 'bytes', [
          ['slurmscope', fill('sum(%s)', process('process_resident_memory_bytes{~}'))],
        ]) + b.wide(8),
        b.graph('Records that could not be used', 'Records of answers that lacked what is needed, per hour.', 'short', [
          ['{{endpoint}}', '3600 * ' + rate('slurmscope_records_total', '@, endpoint', ',result="skipped"')],
        ]) + b.empty('None') + b.wide(8),
        b.graph('Scrapes', 'Requests for the page per minute, by format and status.', 'short', [
          ['{{format}} {{code}}', fill('60 * sum by (format, code) (%s)', process('rate(slurmscope_scrapes_total{~}[$__rate_interval])'))],
        ]) + b.wide(8),
      ]),
    ],
  )
