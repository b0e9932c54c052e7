// How what exporters on nodes measure is brought to our `jobid`, to users and accounts, and to GPUs. Every rule has one row for a
// job, or for a GPU, whatever the number of its nodes, cores, devices and mounts.
local promql = import 'promql.libsonnet';
local fill = (import '../texts.libsonnet').fill;
local trimmed = (import '../texts.libsonnet').trimmed;

// A source is [label, text, path]: the text asks for the job in `label` with `%(job)s` among its matchers. `path` precedes the
// job in that label, where it is a path.
local source(label, text, path='') = [label, text, path];

// What of a family: its rate, or itself.
local rate(selector) = 'rate(' + selector + '[%(w)s])';
local level(selector) = selector;

// The job of a source, beside labels that are kept.
local by(config, op, of, keep=[]) =
  local label = of[0], path = of[2];
  local text(id) = fill(of[1], { job: fill('%s=~"%s%s"', [label, path, id]), w: config.rateWindow });
  local named(id, as) = fill('label_replace(%s, "%s", "$1", "%s", "%s(.+)")', [text(id), as, label, path]);
  local labels = std.join(', ', [config.clusterLabel] + keep + ['jobid']);
  {
    number: fill('%s by (%s) (%s)', [op, labels, named('[0-9]+', 'jobid')]),
    sluid: trimmed(fill(|||
      %s by (%s) (
        %s
        * on (%s, sluid) group_left (jobid) max by (%s, sluid, jobid) (slurm_job_info{sluid!="", %s})
      )
    |||, [op, labels, named('s[0-9A-Z]{13}', 'sluid'), config.clusterLabel, config.clusterLabel, config.selector])),
  };

{
  source:: source,
  rate:: rate,
  level:: level,

  // The same family may come from either exporter of this name: plazonic's says the job and its steps, treydock's the path of
  // the cgroup.
  cgroupExporter(family, what=level):: [
    source('jobid', what(family + '{step="", task="", %(job)s}')),
    source('cgroup', what(family + '{%(job)s}'), '.*/job_'),
  ],
  jobExporter(family, what=level, where=''):: [source('slurmjobid', what(family + '{' + where + '%(job)s}'))],
  ceems(family, what=level, where=''):: [source('uuid', what(family + '{manager="slurm", ' + where + '%(job)s}'))],

  // Agents that look into cgroups may say either: an ID, or since Slurm 26.05 the SLUID, which only slurm_job_info can translate.
  cgroups(config, op, sources, keep=[])::
    std.join('\nor\n', std.flatMap(function(one) local of = by(config, op, one, keep); [of.number, of.sluid], sources)),
  // Exporters that a prolog informs say the job's ID.
  number(config, op, source, keep=[]):: by(config, op, source, keep).number,

  // The node of an exporter on nodes, and its GPU: the UUID, which all exporters know, without what precedes it in some.
  onNode(config, text):: fill('label_replace(%s, "node", "$1", "instance", "%s")', [text, config.nodeOfInstance]),
  onGpu(config, text, label):: fill('label_replace(%s, "gpu", "$1", "%s", "(?:GPU-|MIG-)?(.+)")', [$.onNode(config, text), label]),

  // The job's part of what a node does: all of it if the job is alone there.
  part(config, series)::
    fill(|||
      sum by (%(c)s, jobid) (
        slurm:job_node:share_ratio
        * on (%(c)s, node) group_left ()
        sum by (%(c)s, node) (%(rate)s)
      )
    |||, { c: config.clusterLabel, rate: $.onNode(config, fill('rate(%s[%s])', [series, config.rateWindow])) }),

  // A record whose text has no names to fill in.
  rule(config, name, text):: promql.rule(config, name, std.strReplace(text, '%', '%%')),
}
