// Alerts.
{
  prometheusAlerts+:: { groups+: [] },
}
