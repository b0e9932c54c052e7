// Recording rules.
{
  prometheusRules+:: { groups+: [] },
}
