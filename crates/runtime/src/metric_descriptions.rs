//! Descriptions of the metrics, for `/metrics` and docs/operating/monitoring.md.

/// A metric's name and description.
pub(crate) type MetricDescription = (&'static str, &'static str);

pub(crate) const COUNTERS: [MetricDescription; 31] = [
    ("confab_http_requests_total", "Requests answered, by method, route and status"),
    ("confab_tls_handshakes_total", "TLS handshakes, by outcome"),
    ("confab_connections_refused_total", "Connections refused, by limit"),
    ("confab_idle_connections_closed_total", "HTTP connections closed for being idle"),
    (
        "confab_connections_yielded_total",
        "Connections closed for new ones while they waited for their clients",
    ),
    ("confab_bodies_refused_total", "Request bodies refused for lack of memory, by limit"),
    ("confab_quota_refused_total", "Requests refused, by quota"),
    (
        "confab_password_hashing_refused_total",
        "Sign-ins refused because the password hashing queue was full",
    ),
    ("confab_store_failures_total", "Commits that failed"),
    (
        "confab_store_loss_mark_failures_total",
        "Failed writes of the mark that detects lost messages",
    ),
    ("confab_store_probe_writes_total", "Writes that only check whether writing works"),
    ("confab_webhook_attempts_total", "Delivery attempts, by kind and outcome"),
    (
        "confab_webhook_endpoint_changes_total",
        "Endpoints that started to fail or recovered, by state",
    ),
    ("confab_webhook_loops_total", "Requests refused because of a webhook loop"),
    ("confab_provider_webhooks_unreadable_total", "Provider webhooks that could not be parsed"),
    (
        "confab_provider_webhooks_unknown_account_total",
        "Events of provider accounts that are not connected here",
    ),
    ("confab_realtime_events_sent_total", "Events sent to connected clients"),
    ("confab_realtime_lagged_total", "Connections closed because the client did not read in time"),
    (
        "confab_realtime_dropped_total",
        "Ephemeral events dropped because of a limit, such as typing",
    ),
    (
        "confab_realtime_cursor_resets_total",
        "Resets of a realtime cursor that was ahead of the store",
    ),
    ("confab_mqtt_publishes_total", "Packets published by MQTT clients, by outcome"),
    ("confab_mqtt_refused_filters_total", "MQTT subscriptions refused"),
    ("confab_mqtt_closed_total", "MQTT connections closed, by reason"),
    ("confab_bus_sent_total", "Hints sent to other nodes"),
    ("confab_bus_received_total", "Hints received from other nodes"),
    ("confab_bus_dropped_total", "Hints that could not be sent to other nodes"),
    ("confab_bus_gaps_total", "Gaps in the hints of other nodes"),
    ("confab_bus_refused_total", "Bus packets dropped as not genuine, by reason"),
    ("confab_background_task_restarts_total", "Restarts of background tasks, by task"),
    ("confab_trace_spans_sent_total", "Spans accepted by the trace collector"),
    ("confab_trace_spans_dropped_total", "Spans dropped, by reason"),
];

pub(crate) const GAUGES: [MetricDescription; 12] = [
    ("confab_realtime_connections", "Clients connected by WebSocket, event stream or MQTT"),
    (
        "confab_realtime_lag_seconds",
        "Age of the oldest commit that may not have been sent to clients",
    ),
    ("confab_mqtt_sessions_disconnected", "MQTT sessions retained for disconnected clients"),
    ("confab_webhook_backlog", "Unfinished deliveries, by state"),
    ("confab_webhook_oldest_seconds", "Age of the oldest unfinished delivery"),
    ("confab_webhook_breakers_open", "Endpoints with an open circuit breaker"),
    ("confab_channels_unhealthy", "Channels whose provider rejects requests"),
    ("confab_free_space_bytes", "Free bytes on the fullest disk of data and files"),
    ("confab_app_upload_bytes", "Bytes of all uploads, by app"),
    ("confab_quota_limit", "Limit of each quota; 0 is unlimited"),
    ("confab_unauthenticated_uploads", "Uploads in progress whose sender is not authenticated yet"),
    (
        "confab_unauthenticated_upload_bytes",
        "Bytes held by uploads whose sender is not authenticated yet",
    ),
];

pub(crate) const HISTOGRAMS: [MetricDescription; 4] = [
    ("confab_http_request_seconds", "Time from request to response, by route"),
    ("confab_store_commit_seconds", "Time of a commit, fsync included"),
    ("confab_store_commit_writes", "Writes that shared a commit"),
    ("confab_webhook_lag_seconds", "Time from an event to the first byte of its first attempt"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_monitoring_page_lists_every_metric_and_no_other() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operating/monitoring.md");
        let page = std::fs::read_to_string(page).expect("a page");
        let listed: BTreeSet<_> = page.lines().filter(|it| it.starts_with("| `confab_")).collect();
        let described = COUNTERS.into_iter().chain(GAUGES).chain(HISTOGRAMS);
        let described: BTreeSet<_> =
            described.map(|(name, text)| format!("| `{name}` | {text} |")).collect();
        assert_eq!(listed, described.iter().map(String::as_str).collect());
    }
}
