// What a site may set. Everything else is made from it.
{
  _config+:: {
    // Of slurmscope's own targets, e.g. 'job="slurmscope"'; empty: any.
    selector: '',
    // The label that tells clusters apart. Slurmscope does not set it, the scrape configuration may;
    // without it all of this works for one cluster.
    clusterLabel: 'cluster',
    runbookBase: 'https://example.invalid/slurmscope/runbooks',
  },
}
