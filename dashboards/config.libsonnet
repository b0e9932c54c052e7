// What a site may set. Everything else is made from it.
{
  _config+:: {
    // Of slurmscope's own targets, e.g. 'job="slurmscope"'; empty: any. slurmctld's own endpoint may be scraped, too: where it has
    // families of the same names, they have no `state`, by which all queries select.
    selector: '',
    // The label that tells clusters apart. Slurmscope does not set it, the scrape configuration may;
    // without it all of this works for one cluster. Exporters on nodes must have the same.
    clusterLabel: 'cluster',
    // Where the pages of dashboards/runbooks are published, e.g. 'https://wiki.example/slurm'; null: nowhere, and alerts
    // name the file that the packages install.
    runbookBase: null,

    // How states are judged. A job that its user cancelled, or that was preempted or requeued, says nothing about
    // failing. Nor does one that reached its time limit. These count in neither list.
    failedStates: 'failed|node_fail|boot_fail|out_of_memory',
    goodStates: 'completed',
    // Of limits over time (GrpTRESMins): what jobs use up of these they do not give back. wall_seconds is one, too, but nobody
    // knows its use.
    budgetResources: 'resource=~".+_seconds", resource!~".+_running_seconds"',
    // Reasons with which a job waits for nothing but its turn.
    startableReasons: 'None|Priority|Resources',

    // The node in the `instance` of exporters on nodes: what precedes the first dot or colon.
    nodeOfInstance: '([^.:]+).*',
    // Rates of exporters on nodes; at least four times their scrape interval.
    rateWindow: '5m',
    // A GPU that is busy for less than this is idle.
    gpuBusy: 0.05,

    // How well ended jobs used what they held: in the window, and in longer ones.
    efficiency: {
      window: '1d',
      longer: ['7d', '30d'],
      hour: '1h',  // The longer ones are sums of this.
      // How often it is recorded: a part of the hour, and less than the five minutes in which Prometheus looks for a sample.
      every: '4m',
    },

    // What use costs. Without prices the dashboard "Cost and use" has hours alone.
    cost: {
      currency: '€',
      // Each entry holds from its date until the next one. It has all prices of an hour then: of a CPU, a GiB of memory, a
      // generic resource, a unit of billing. What has no price costs nothing. An example:
      //   [
      //     { from: '2026-01-01', cpu: 0.02, memory: 0.002, gres: { gpu: 0.9, 'gpu:h100': 2.5 } },
      //     { from: '2026-07-01', cpu: 0.03, memory: 0.002, gres: { gpu: 0.9, 'gpu:h100': 2.2 },
      //       partitions: { debug: { cpu: 0 } }, qos: { low: { cpu: 0.01 } } },
      //   ]
      // A date begins at midnight UTC; a number is Unix seconds. Rules record money while it is spent, at the price of that
      // moment. So for a new price add an entry, with a date that is to come.
      // Slurmscope counts by account or by partition or by QOS, not by two of them. So prices by partition and by QOS are for
      // the tables of partitions and of QOS alone. Of accounts and users only billing knows the partition, because slurmctld
      // makes it of TRESBillingWeights. It has the CPUs and GPUs in it: price either billing or those.
      prices: [],
      // Grams of CO2 for a kilowatt-hour; null: nothing about carbon. It needs an energy plugin in Slurm; the carbon of
      // idle nodes needs --nodes.per-node=full, too.
      gramsPerKwh: null,
    },

    // What `groups` in slurmscope.yml is; a dashboard shows them. To take it from there:
    //   std.parseYaml(importstr '/etc/slurmscope/slurmscope.yml').groups
    groups: [],

    // What capacity is planned by, kept for a year.
    capacity: {
      every: '1h',  // A sample is of so long.
      full: 0.9,  // From which share of the usable CPUs or GPUs on a partition is full: the rest is between jobs.
      growth: {
        month: '30d',  // What is compared with the one before it.
        hours: 480,  // So many have to be known of each.
        days: 28,  // Of fewer nobody can tell a trend.
        errors: 3,  // What growth has to be at least, in standard errors of the slope of weekly use.
        months: 60,  // What is full later than that is not said.
      },
      // The group of slurmscope.yml that tells jobs by size, such as 'size'; null: none. Its label has its name
      // (`by: [{label: size, from: cpus}]`), and its metrics are cpus, waits and use.
      sizeGroup: null,
    },

    // How nodes are out of service, over weeks.
    outages: {
      // A pattern of causes (`nodes.cause` of slurmscope.yml) that are planned work, beside reservations with MAINT, e.g.
      // 'upgrade|moving'. Such outages count apart, and no alert tells of such a node by itself; null: none
      plannedCauses: null,
      windows: ['7d', '30d'],
      hour: '1h',  // The windows are sums of this.
      every: '4m',  // as efficiency.every
    },

    boards: {
      // Where people reach slurmscope's own pages, e.g. 'http://slurmctld.example:9341'; null: dashboards do not link to them.
      slurmscope: null,
      // How many nodes a table and a timeline show at most, how many ended jobs a table, and how many rows of a group.
      nodes: 100,
      jobs: 200,
      groups: 50,
      timeline: 30,
      // From where on a value is orange, and from where on red. Where an alert watches the same, it is the alert's number.
      thresholds: {
        timesUsual: [2, $._config.ahead.submissions.times],
        some: [1],  // whatever the size of the cluster, nothing is red
        failures: [$._config.jobFailures.warning, $._config.jobFailures.critical],
        burn: [1, $._config.waitSlo.slow.burn],
        out: [$._config.nodesBurst.share, 0.1],  // of the nodes or CPUs
        threads: [$._config.threads.max * $._config.threads.share / 2, $._config.threads.max * $._config.threads.share],
        accountingQueue: [$._config.accountingQueue.messages, 10 * $._config.accountingQueue.messages],
        agentQueue: [$._config.agentQueue.messages, 10 * $._config.agentQueue.messages],
        backfillAge: [300, $._config.backfillStuck.seconds],
        jobTable: [0.7, $._config.jobTable.share],
        limit: [0.8, $._config.nearLimit.share],
        budgetUsed: [0.8, 1],
        drift: [$._config.fairshareDrift.drift, 2 * $._config.fairshareDrift.drift],
        answerAge: [$._config.stale.intervals, 10],
        budget: [1, $._config.overBudget.times],
        endpointsDown: [1, 3],
        eventsLost: [1, 100],
        gpusIdle: [1, 10],
        gpuTemperature: [80, $._config.gpuHot.celsius],
        waste: [0.5, 0.8],
        // below these:
        token: [600, $._config.token.seconds],
        coverage: [0.99, 0.9],
        use: [0.6, 0.3],  // of what a job holds, now
        available: [0.98, 0.9],
        efficiency: [0.7, 0.4],  // of what ended jobs held
        timeLeft: [3600, 600],
        budgetLeft: [$._config.budgets.days * 86400, 86400],
        fairshare: [0.2, 0.05],
      },
    },

    // Below: one member per alert. `for` is how long it must be true; the other numbers are thresholds.

    jobFailures: {
      window: '1h',
      jobs: 20,  // Of fewer that ended nothing can be said,
      // but perhaps of those of some hours or of a day, where these are enough.
      hours: '6h',
      day: '1d',
      fewJobs: 10,
      // shares of failed jobs that are exceeded with 97.5 % confidence (Wilson's lower bound)
      warning: 0.2,
      critical: 0.5,
      // What is critical is so without this number of users who have most failures, a warning without one.
      users: 3,
      'for': '15m',
    },
    // Jobs that reached their time limit, as all do where a file system hangs.
    jobTimeouts: {
      jobs: 10,
      share: 0.5,
      usual: '7d',  // At least this times as many reach it as in the days before, where some always do.
      times: 2,
      'for': '15m',
    },
    // Jobs that Slurm ended for their node's sake: node_fail, boot_fail.
    jobLosses: {
      jobs: 3,
      nodes: 3,  // of one node that goes down many may be lost
      share: 0.02,
      'for': '2m',
    },
    accountJobFailures: { jobs: 50, share: 0.5, 'for': '30m' },
    userJobFailures: { jobs: 50, share: 0.5, 'for': '15m' },
    blackHole: {
      window: '15m',
      failures: 10,  // on the node, in the window.
      nodes: 0.05,  // If more than this share of the nodes fail jobs, the nodes are not the cause.
      most: 5,  // The same for this number of nodes.
      othersFailing: 0.5,  // On the others fewer jobs fail than this times those that complete.
      others: 3,  // It is critical if at least these are not failures of the user with most.
      'for': '2m',
    },
    // A node with which jobs fail seldom, for few come to it.
    nodeFailures: {
      failures: 5,  // On the node, in a day.
      others: 2,  // At least these are not failures of the user with most.
      share: 0.5,  // They are more than this share of all in the cluster.
      'for': '15m',
    },
    waitSlo: {
      // A job should start within this time. It has to be a bucket of slurm_partition_job_eligible_wait_seconds.
      seconds: 14400,
      // The same for partitions with a goal of their own, e.g. { debug: 600, long: null }; null: it has none.
      partitions: {},
      budget: 0.05,  // The share of starts that may be later.
      starts: 20,  // Fewer in the longer window say nothing.
      // Both windows have to burn the budget: the longer one shows that it matters, the shorter one that it lasts. On large
      // machines such waits are usual, on others they follow each maintenance. The audience `page` is for a site that has
      // promised this to its users.
      fast: { burn: 14.4, long: '1h', short: '5m', audience: 'ticket', 'for': '2m' },
      slow: { burn: 6, long: '6h', short: '30m', audience: 'report', 'for': '15m' },
    },
    starving: {
      seconds: 3 * 86400,  // since its submission,
      startable: '1d',  // of which it could have started for so long.
      users: 3,  // Of one user, or of two, it may be one job of low priority.
      // A restart of slurmscope that long ago leaves a gap.
      keep: '15m',
      'for': '1h',
    },
    queueStalled: { window: '30m', 'for': '1h' },
    blockedByLimit: { jobs: 10, idle: 0.3, 'for': '2h' },

    // A pattern of reasons. Of nodes that have such a reason no alert tells by itself, e.g. 'RMA.*|ticket.*'; null: none
    nodeQuiet: null,
    // Many nodes: `share` of the cluster, but at least `least`, and not more than `most`.
    nodesBurst: { window: '15m', share: 0.02, least: 4, most: 50, 'for': '1m' },
    nodesOut: { share: 0.05, least: 3, most: 200, 'for': '15m' },
    nodesStuck: { window: '30m', share: 0.05, least: 3, most: 200, 'for': '5m' },
    nodesRebooted: { window: '1d', share: 0.005, least: 2, most: 20 },
    // Nodes that do so again and again. Of more nodes than `nodes` there is one message.
    nodeFlapping: { window: '1d', step: '2m', times: 3, nodes: 5, 'for': '5m' },
    nodeReboots: { window: '7d', step: '2m', times: 2, nodes: 5, 'for': '5m' },
    nodesPowering: { window: '1h', 'for': '5m' },
    nodeDown: { 'for': '15m' },
    nodeInvalid: { 'for': '15m' },
    nodeOut: { seconds: 3 * 86400, 'for': '1h' },

    controllerDown: { 'for': '2m' },
    failover: { 'for': '5m' },
    backupDown: { 'for': '15m' },
    accountingDown: { 'for': '5m' },
    threads: {
      max: 256,  // Slurm's MAX_SERVER_THREADS
      share: 0.8,
      window: '5m',
      'for': '5m',
    },
    agentQueue: {
      messages: 50,
      perNode: 0.1,  // and these for each node
      window: '10m',
      trend: '30m',
      'for': '10m',
    },
    accountingQueue: {
      messages: 1000,
      max: null,  // MaxDBDMsgs of slurm.conf; null: Slurm's default, 2 MaxJobCount + 4 nodes, as far as that is known
      trend: '30m',
      ahead: 4 * 3600,  // seconds in which it would be full
      'for': '10m',
    },
    schedulerStuck: { window: '10m', 'for': '5m' },
    backfillStuck: { seconds: 1800, 'for': '10m' },
    backfillIncomplete: { window: '1h', cycles: 20, share: 0.8, 'for': '1h' },
    jobTable: {
      max: null,  // MaxJobCount of slurm.conf; null: what slurmctld says, from 26.05 on
      share: 0.9,
      'for': '5m',
    },
    rollups: { seconds: 3 * 3600, 'for': '15m' },  // slurmdbd rolls up each hour
    requestsDropped: { window: '15m', requests: 10, 'for': '15m' },
    slowPing: { seconds: 2, window: '10m' },
    launchFailed: { 'for': '15m' },
    partitionNotUp: { 'for': '4h' },

    licenses: { 'for': '30m' },
    reservationIdle: { window: '1h', 'for': '2h' },
    nearLimit: { share: 0.95, 'for': '1h' },
    // GrpTRESMins of accounts and users: in how many days they are spent at the pace of the window.
    budgets: { days: 7, window: '1d', 'for': '1h' },
    gpusIdle: { window: '1h', 'for': '1h' },
    gpuErrors: {
      // XIDs, by what NVIDIA's catalogue says to do at once (https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html).
      // Of the GPU, its memory or its links: a reset, a restart of the node, or a workflow that ends in one. 94 kills one program
      // alone, and asks for a reset when convenient.
      hardware: '46|48|54|62|64|74|79|94|95|109|110|119|120|136|140|143|144|145|146|149|150|155|156|158|160',
      // Of programs: restart it, and look into the program.
      programs: '11|13|25|31|43|69|80',
      // For how long an error is new. It is whose the GPU was that long before; at least twice the interval of rules.
      look: '2m',
      lookSeconds: 120,
      gone: '10m',  // for how long we remember whose a job was that is gone
      window: '6h',  // for which a ticket stays
      programsWindow: '1h',
    },
    // Bits that no code corrects, in a day.
    gpuMemory: { window: '1d', errors: 1 },
    // Errors of links in an hour. All but recovery are repaired by sending again.
    gpuLinks: { window: '1h', most: { nvlink_recovery: 1, nvlink_replay: 100, nvlink_crc_data: 100, nvlink_crc_flit: 100, pcie_replay: 500 }, 'for': '10m' },
    gpuReset: { 'for': '5m' },
    gpuHot: { celsius: 90, 'for': '15m' },
    fairshareDrift: { window: '1d', drift: 0.25, 'for': '6h' },

    // What is usual, and where it goes (rules/ahead.libsonnet).
    ahead: {
      // How often it is recorded: a part of the hour, and less than the five minutes in which Prometheus looks for a sample.
      every: '4m',
      weeks: 4,  // The same hours of these weeks,
      high: 0.75,  // and of these about the second largest, so that one week may be out of the ordinary.
      submissions: {
        few: 20,  // This number of jobs more or less says nothing,
        jobs: 60,  // and this number in an hour troubles nobody.
        times: 4,  // the usual, and
        spread: 2,  // times what one in fifty hours of the site has anyway
        'for': '30m',
      },
      // Seconds of slurmctld in a second.
      userLoad: { share: 0.2, times: 5, spread: 4, 'for': '1h' },
      failures: { share: 0.05, sigmas: 4, 'for': '1h' },
      memory: { times: 1.25, jobs: 20, 'for': '1h' },
      capacity: { share: 0.02, nodes: 1.5, 'for': '1h' },
      throughput: { share: 0.65, jobs: 20, waiting: 10, 'for': '1h' },
      jobTable: { trend: '6h', share: 0.5, 'for': '30m' },
    },

    exporterDown: { 'for': '5m', seen: '7d' },
    exporterAbsent: { 'for': '10m' },
    leaders: { 'for': '5m' },
    cutOff: { 'for': '5m' },
    stale: {
      intervals: 3,  // of the endpoint's own, which slurmscope stretches where its budget is short
      seconds: 300,  // and at least these
      'for': '5m',
    },
    overBudget: { times: 1.5, 'for': '30m' },
    token: {
      // slurmscope signs tokens for 600 s and renews them half-way
      seconds: 240,
      // those of slurmscope-token.timer live two hours and are renewed every half: one that has not been renewed for `unchanged`, and
      // has less left
      left: 3600,
      unchanged: '40m',
      // SlurmscopeCutOff, which it silences, ends with the first answers to a new token: not after this one
      keep: '2m',
      'for': '1m',
    },
    endsBehind: { seconds: 1800, 'for': '15m' },
    eventsLost: { window: '1h' },
    stateErrors: { window: '15m' },
    configRefused: { 'for': '5m' },
    certificate: { seconds: 7 * 86400, 'for': '1h' },
    coverage: { share: 0.99, 'for': '30m' },
    folded: { known: '7d', 'for': '1h' },
  },
}
