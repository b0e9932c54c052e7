// What exporters measure of GPUs, brought to jobs; whose each GPU is; and whether it is well. If several exporters know a job
// or a GPU, the first one counts. dashboards/SOURCES.md has which family is used where.
local joins = import 'joins.libsonnet';
local promql = import 'promql.libsonnet';
local fill = (import '../texts.libsonnet').fill;
local trimmed = (import '../texts.libsonnet').trimmed;

// What each exporter calls a quantity, in our unit, of those that the matchers select. DCGM, jobstats' exporter and
// slurm-job-exporter say the job, nvidia_gpu_exporter (`smi`) does not.
local family(name, factor='', where='') = function(matchers) fill('%s{%s%s}%s', [name, where, matchers, factor]);
local percent = ' / 100';
local mebibytes = ' * 1048576';

local utilisation = {
  dcgm: family('DCGM_FI_DEV_GPU_UTIL', percent),
  jobstats: family('nvidia_gpu_duty_cycle', percent),
  agent: family('slurm_job_utilization_gpu', percent),
  smi: family('nvidia_smi_utilization_gpu_ratio'),
};
local temperature = {
  dcgm: family('DCGM_FI_DEV_GPU_TEMP'),
  jobstats: family('nvidia_gpu_temperature_celsius'),
  smi: family('nvidia_smi_temperature_gpu'),
};
// How much of the time a pipe for numbers of that width worked.
local pipe(bits) = {
  dcgm: family(fill('DCGM_FI_PROF_PIPE_FP%s_ACTIVE', bits)),
  jobstats: family(fill('nvidia_gpu_fp%s_util_percent', bits), percent),
  agent: family(fill('slurm_job_fp%s_gpu', bits), percent),
};
// Rates, in DCGM as well. `direction` is R or T.
local pcie(direction) = {
  dcgm: family(fill('DCGM_FI_PROF_PCIE_%sX_BYTES', direction)),
  jobstats: family(fill('nvidia_gpu_pcie_%sx_per_sec', std.asciiLower(direction))),
  agent: family('slurm_job_pcie_gpu', '', fill('direction="%sX", ', direction)),
  smi: family(fill('nvidia_smi_pcie_throughput_%sx_bytes_per_second', std.asciiLower(direction))),
};
local nvlink(direction) = {
  dcgm: family(fill('DCGM_FI_PROF_NVLINK_%sX_BYTES', direction)),
  jobstats: family(fill('nvidia_gpu_nvlink_total_%sx_per_sec', std.asciiLower(direction))),
  agent: family('slurm_job_nvlink_gpu', '', fill('direction="%sX", ', direction)),
};

// The label of the GPU's UUID, and of the job. Where nobody tells DCGM the jobs, slurm:gpu:job_info knows them.
local gpuLabel = { dcgm: 'UUID', jobstats: 'uuid', smi: 'uuid' };
local jobLabel = { dcgm: 'hpc_job', jobstats: 'jobid', agent: 'slurmjobid' };
local ofJob(exporter) = if exporter == 'agent' then '%(job)s' else jobLabel[exporter] + '!="0", %(job)s';  // 0 is no job
local these(quantity, exporters) = std.filter(function(exporter) std.objectHas(quantity, exporter), exporters);

{
  rules(config)::
    local own(name, text) = promql.rule(config, name, text);
    local rule(name, alternatives) = joins.rule(config, name, std.join('\nor\n', alternatives));
    local onGpu = function(text, exporter) joins.onGpu(config, text, gpuLabel[exporter]);

    // Of jobs: those that the exporter names, or whose the GPU is.
    local measured(name, op, quantity, as=function(text) text) = rule(name, [
      joins.number(config, op, joins.source(jobLabel[exporter], as(quantity[exporter](ofJob(exporter)))))
      for exporter in these(quantity, ['dcgm', 'jobstats', 'agent'])
    ] + [
      trimmed(fill(|||
        %(op)s by (%(c)s, jobid) (
          slurm:gpu:job_info
          * on (%(c)s, node, gpu) group_left () max by (%(c)s, node, gpu) (%(each)s)
        )
      |||, { op: op, c: config.clusterLabel, each: onGpu(as(quantity[exporter]('')), exporter) }))
      for exporter in these(quantity, ['smi', 'dcgm'])
    ]);

    // Of GPUs: `families` are pairs of an exporter and an expression.
    local eachGpu(families, op='max') = [
      fill('%s by (%s, node, gpu) (%s)', [op, config.clusterLabel, onGpu(of[1], of[0])])
      for of in families
    ];
    local gpus(name, families) = rule(name, eachGpu(families));

    // Which XIDs the exporters know of at a time: DCGM's last one of each GPU, and what dcgm-exporter counts in its own window.
    local known(at) = [
      fill('count_values by (%s, node, gpu) ("xid", %s > 0)', [config.clusterLabel, eachGpu([['dcgm', 'DCGM_FI_DEV_XID_ERRORS' + at]])[0]]),
      fill('max by (%s, node, gpu, xid) (%s) > 0', [config.clusterLabel, onGpu('DCGM_EXP_XID_ERRORS_COUNT' + at, 'dcgm')]),
    ];
    local before = ' offset ' + config.gpuErrors.look;
    local newly(i) = fill('%s\nunless on (%s, node, gpu, xid)\n%s', [known('')[i], config.clusterLabel, known(before)[i]]);
    local errors(link, name) =
      fill('label_replace(%s, "link", "%s", "", "")', [eachGpu([['dcgm', fill('rate(%s[%s])', [name, config.rateWindow])]], 'sum')[0], link]);
    [
      // Whose a GPU is. Of two jobs that share one nobody knows who did what.
      rule('slurm:job_gpu:info', [
        joins.number(config, 'group', joins.source('hpc_job', onGpu('DCGM_FI_DEV_GPU_UTIL{hpc_job!="0", %(job)s}', 'dcgm')), ['node', 'gpu']),
        joins.number(config, 'group', joins.source('jobid', onGpu('nvidia_gpu_duty_cycle{jobid!="0", %(job)s}', 'jobstats')), ['node', 'gpu']),
        joins.cgroups(config, 'group', [
          joins.source('uuid', joins.onGpu(config, 'ceems_compute_unit_gpu_index_flag{manager="slurm", %(job)s}', 'gpuuuid')),
        ], ['node', 'gpu']),
      ]),
      own('slurm:gpu:job_info', |||
        slurm:job_gpu:info and on (%(c)s, node, gpu) count by (%(c)s, node, gpu) (slurm:job_gpu:info) == 1
      |||),

      own('slurm:job:gpus', 'sum by (%(c)s, jobid) (slurm_job_allocated_gres{gres="gpu", %(s)s})'),
      measured('slurm:job:gpu_utilization_ratio', 'avg', utilisation),
      measured('slurm:job:gpus_busy', 'sum', utilisation, function(text) fill('(%s > bool %g)', [text, config.gpuBusy])),
      own('slurm:job:gpus_idle', 'slurm:job:gpus - slurm:job:gpus_busy'),
      measured('slurm:job:gpu_sm_active_ratio', 'avg', {
        dcgm: family('DCGM_FI_PROF_SM_ACTIVE'),
        jobstats: family('nvidia_gpu_sm_util_percent', percent),
      }),
      measured('slurm:job:gpu_sm_occupancy_ratio', 'avg', {
        dcgm: family('DCGM_FI_PROF_SM_OCCUPANCY'),
        jobstats: family('nvidia_gpu_sm_occupancy_percent', percent),
        agent: family('slurm_job_sm_occupancy_gpu', percent),
      }),
      measured('slurm:job:gpu_tensor_active_ratio', 'avg', {
        dcgm: family('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE'),
        jobstats: family('nvidia_gpu_any_tensor_util_percent', percent),
        agent: family('slurm_job_tensor_gpu', percent),
      }),
      measured('slurm:job:gpu_fp64_active_ratio', 'avg', pipe('64')),
      measured('slurm:job:gpu_fp32_active_ratio', 'avg', pipe('32')),
      measured('slurm:job:gpu_fp16_active_ratio', 'avg', pipe('16')),
      measured('slurm:job:gpu_memory_copy_ratio', 'avg', {
        dcgm: family('DCGM_FI_DEV_MEM_COPY_UTIL', percent),
        agent: family('slurm_job_utilization_gpu_memory', percent),
        smi: family('nvidia_smi_utilization_memory_ratio'),
      }),
      measured('slurm:job:gpu_memory_bandwidth_ratio', 'avg', {
        dcgm: family('DCGM_FI_PROF_DRAM_ACTIVE'),
        jobstats: family('nvidia_gpu_dram_bw_util_percent', percent),
      }),
      measured('slurm:job:gpu_memory_used_bytes', 'sum', {
        dcgm: family('DCGM_FI_DEV_FB_USED', mebibytes),
        jobstats: family('nvidia_gpu_memory_used_bytes'),
        agent: family('slurm_job_memory_usage_gpu'),
        smi: family('nvidia_smi_memory_used_bytes'),
      }),
      measured('slurm:job:gpu_memory_bytes', 'sum', {
        dcgm: function(matchers) fill('(DCGM_FI_DEV_FB_USED{%s} + DCGM_FI_DEV_FB_FREE{%s})%s', [matchers, matchers, mebibytes]),
        jobstats: family('nvidia_gpu_memory_total_bytes'),
        agent: family('slurm_job_memory_total_gpu'),
        smi: family('nvidia_smi_memory_total_bytes'),
      }),
      measured('slurm:job:gpu_temperature_celsius', 'max', temperature),
      measured('slurm:job:gpu_power_watts', 'sum', {
        dcgm: family('DCGM_FI_DEV_POWER_USAGE'),
        jobstats: family('nvidia_gpu_power_usage_milliwatts', ' / 1000'),
        agent: family('slurm_job_power_gpu', ' / 1000'),
        smi: family('nvidia_smi_power_draw_watts'),
      }),
      measured('slurm:job:gpu_pcie_received_bytes_per_second', 'sum', pcie('R')),
      measured('slurm:job:gpu_pcie_transmitted_bytes_per_second', 'sum', pcie('T')),
      measured('slurm:job:gpu_nvlink_received_bytes_per_second', 'sum', nvlink('R')),
      measured('slurm:job:gpu_nvlink_transmitted_bytes_per_second', 'sum', nvlink('T')),

      // Health. An XID stays as DCGM's last one until the next comes, under whatever job has the GPU then. So it counts for the
      // moments in which it is new, and is the job's that had the GPU before. What was there when we began to look is not new.
      rule('slurm:gpu_xid:seen', [
        fill('group by (%s, node, gpu, xid) (\n%s\nand on (%s, node, gpu)\n%s\nor\n%s\nor\n%s\n)', [
          config.clusterLabel,
          newly(0),
          config.clusterLabel,
          eachGpu([['dcgm', 'DCGM_FI_DEV_XID_ERRORS' + before]])[0],
          newly(1),
          fill('time() - max by (%s, node, gpu, xid) (%s) < %d', [
            config.clusterLabel,
            onGpu('nvidia_smi_xid_last_timestamp_seconds', 'smi'),
            config.gpuErrors.lookSeconds,
          ]),
        ]),
      ]),
      own('slurm:job_gpu_xid:seen', fill(|||
        slurm:gpu_xid:seen
        * on (%(c)s, node, gpu) group_left (jobid, user, account, partition) (
          (slurm:gpu:job_info offset %(look)s or on (%(c)s, node, gpu) slurm:gpu:job_info)
          * on (%(c)s, jobid) group_left (user, account, partition)
            topk by (%(c)s, jobid) (1, max by (%(c)s, jobid, user, account, partition) (last_over_time(slurm_job_info{%(s)s}[%(gone)s])))
        )
      |||, (config.gpuErrors { c: '%(c)s', s: '%(s)s' }))),
      // since the GPU was reset, or its driver loaded
      gpus('slurm:gpu:uncorrected_memory_errors', [
        ['dcgm', 'DCGM_FI_DEV_ECC_DBE_VOL_TOTAL'],
        ['jobstats', 'nvidia_gpu_ecc_errors{error="uncorrected", counter="volatile"}'],
        ['smi', 'nvidia_smi_ecc_errors_uncorrected_volatile_total'],
      ]),
      gpus('slurm:gpu:row_remap_failed', [['dcgm', 'DCGM_FI_DEV_ROW_REMAP_FAILURE'], ['smi', 'nvidia_smi_remapped_rows_failure']]),
      gpus('slurm:gpu:row_remap_pending', [['dcgm', 'DCGM_FI_DEV_ROW_REMAP_PENDING'], ['smi', 'nvidia_smi_remapped_rows_pending']]),
      // what the driver asks for: 1 a reset of the GPU, 2 of the node, 3 and 4 to drain it
      gpus('slurm:gpu:recovery_action', [['smi', 'nvidia_smi_gpu_recovery_action']]),
      gpus('slurm:gpu:temperature_celsius', [[exporter, temperature[exporter]('')] for exporter in ['dcgm', 'jobstats', 'smi']]),
      rule('slurm:gpu_link:errors_per_second', [
        errors('nvlink_crc_data', 'DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL'),
        errors('nvlink_crc_flit', 'DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL'),
        errors('nvlink_replay', 'DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL'),
        errors('nvlink_recovery', 'DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL'),
        errors('pcie_replay', 'DCGM_FI_DEV_PCIE_REPLAY_COUNTER'),
      ]),
    ],
}
