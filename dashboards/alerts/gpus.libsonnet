// Health of GPUs, with the nodes and the jobs that they hit. They need an exporter of GPUs (dashboards/SOURCES.md).
local alert = import 'alert.libsonnet';
local unlessQuiet = import 'quiet.libsonnet';
local fill = (import '../texts.libsonnet').fill;

// In texts: the jobs that an XID hit, and those that have the GPU now; eight of each at most.
local hit = |||
  {{- range printf "topk(8, max by (jobid, user) (max_over_time(slurm:job_gpu_xid:seen{node=%%q, gpu=%%q, xid=%%q, %(c)s=%%q}[%(window)s])))" $labels.node $labels.gpu $labels.xid $labels.%(c)s | query }} It hit job {{ .Labels.jobid }} of {{ .Labels.user }}.{{ end }}
|||;
local holders = |||
  {{- range printf "topk(8, slurm:job_gpu:info{node=%%q, gpu=%%q, %(c)s=%%q})" $labels.node $labels.gpu $labels.%(c)s | query }} Job {{ .Labels.jobid }} has it now.{{ end }}
|||;
local look = |||
  Look: nvidia-smi -q -i GPU-{{ $labels.gpu }}; dmesg -T | grep -i xid, both on the node; squeue -w {{ $labels.node }}
|||;

// Where XIDs are known they say more.
local unlessXid = |||
  unless on (%(c)s, node, gpu) max_over_time(slurm:gpu_xid:seen{xid=~"%(hardware)s"}[%(xidWindow)s])
|||;

{
  alerts(config)::
    local xids = { c: config.clusterLabel, hardware: config.gpuErrors.hardware, xidWindow: config.gpuErrors.window };
    local links = std.join('or\n', [
      fill('avg_over_time(slurm:gpu_link:errors_per_second{link="%s"}[%s]) * 3600 >= %g\n', [link, config.gpuLinks.window, config.gpuLinks.most[link]])
      for link in std.objectFields(config.gpuLinks.most)
    ]);
    [
      alert(config, 'SlurmGPUHardwareError', 'ticket', config.gpuErrors { c: config.clusterLabel }, |||
        max by (%(c)s, node, gpu, xid) (max_over_time(slurm:gpu_xid:seen{xid=~"%(hardware)s"}[%(window)s]))
      ||| + unlessQuiet(config), 'A GPU has an error of its hardware.', |||
        GPU {{ $labels.gpu }} of node {{ $labels.node }}%(of)s reported XID {{ $labels.xid }} within %(window)s.
      ||| + hit + holders + look),

      alert(config, 'SlurmGPUProgramErrors', 'user_support', config.gpuErrors { c: config.clusterLabel }, |||
        count by (%(c)s, user, account, partition) (
          max by (%(c)s, jobid, user, account, partition) (max_over_time(slurm:job_gpu_xid:seen{xid=~"%(programs)s"}[%(programsWindow)s]))
        )
      |||, 'Programs of a user make errors on GPUs.', |||
        Programs of user {{ $labels.user }}, account {{ $labels.account }}, partition {{ $labels.partition }}%(of)s made errors on GPUs within %(programsWindow)s. Number of jobs: {{ $value | printf "%%.0f" }}.
        {{- range printf "count by (xid) (max by (jobid, xid) (max_over_time(slurm:job_gpu_xid:seen{user=%%q, account=%%q, %(c)s=%%q, xid=~\"%(programs)s\"}[%(programsWindow)s])))" $labels.user $labels.account $labels.%(c)s | query }} XID {{ .Labels.xid }}: {{ .Value | printf "%%.0f" }}.{{ end }}
        {{- range printf "topk(1, max by (jobid) (max_over_time(slurm:job_gpu_xid:seen{user=%%q, account=%%q, %(c)s=%%q, xid=~\"%(programs)s\"}[%(programsWindow)s])))" $labels.user $labels.account $labels.%(c)s | query }} One is job {{ .Labels.jobid }}: sacct -j {{ .Labels.jobid }} -o JobID,JobName,State,ExitCode,NodeList{{ end }}
      |||),

      alert(config, 'SlurmGPUMemoryFailing', 'ticket', config.gpuMemory + xids, |||
        (
          slurm:gpu:uncorrected_memory_errors - min_over_time(slurm:gpu:uncorrected_memory_errors[%(window)s]) >= %(errors)d
          or slurm:gpu:row_remap_failed > 0
        )
      ||| + unlessXid + unlessQuiet(config), 'The memory of a GPU fails.', |||
        Memory of GPU {{ $labels.gpu }} of node {{ $labels.node }}%(of)s had errors within %(window)s that no code corrects, or has no rows left to replace bad ones.
      ||| + holders + look),

      alert(config, 'SlurmGPUNeedsReset', 'ticket', config.gpuReset + xids, |||
        slurm:gpu:recovery_action > 0
      ||| + unlessXid + unlessQuiet(config), 'The driver asks for a reset of a GPU.', |||
        The driver asks to reset GPU {{ $labels.gpu }}, or to restart node {{ $labels.node }}%(of)s.
      ||| + holders + look),
      alert(config, 'SlurmGPUNeedsReset', 'report', config.gpuReset + xids, |||
        slurm:gpu:row_remap_pending > 0
      ||| + unlessQuiet(config), 'A GPU replaces bad memory at its next reset.', |||
        GPU {{ $labels.gpu }} of node {{ $labels.node }}%(of)s has bad rows of memory, which it replaces when it is reset.
      ||| + holders + look),

      alert(config, 'SlurmGPULinkErrors', 'ticket', config.gpuLinks { c: config.clusterLabel }, '(\n' + links + ')\n' + unlessQuiet(config), 'Links of a GPU have errors.', |||
        {{ $labels.link }} of GPU {{ $labels.gpu }} of node {{ $labels.node }}%(of)s has {{ $value | printf "%%.0f" }} errors an hour.
      ||| + holders + look),

      alert(config, 'SlurmGPUHot', 'ticket', config.gpuHot { c: config.clusterLabel }, |||
        slurm:gpu:temperature_celsius > %(celsius)g
      ||| + unlessQuiet(config), 'A GPU is too hot.', |||
        GPU {{ $labels.gpu }} of node {{ $labels.node }}%(of)s has been hotter than %(celsius)g °C for %(for)s: {{ $value | printf "%%.0f" }} °C.
      ||| + holders + look),
    ],
}
