//! What each number says: `/metrics` tells it (`recorder`), and the page on monitoring lists it.

/// A metric's name and what it says.
pub(crate) type Described = (&'static str, &'static str);

pub(crate) const COUNTERS: [Described; 31] = [
    ("confab_http_requests_total", "Requests answered, by method, route and status"),
    ("confab_tls_handshakes_total", "TLS handshakes, by outcome"),
    ("confab_connections_refused_total", "Connections refused, by the bound they met"),
    ("confab_idle_connections_closed_total", "HTTP connections closed for being idle"),
    (
        "confab_connections_yielded_total",
        "Connections closed for new ones while they waited for their clients",
    ),
    ("confab_bodies_refused_total", "Request bodies refused for memory, by the bound they met"),
    ("confab_quota_refused_total", "Requests refused, by the quota they met"),
    ("confab_hashing_refused_total", "Sign-ins refused because too many others waited"),
    ("confab_store_failures_total", "Commits that failed"),
    ("confab_store_mark_failures_total", "Failed writes of the mark of the newest message"),
    ("confab_store_ready_writes_total", "Writes that only proved that writing works"),
    ("confab_webhook_attempts_total", "Attempts to deliver, by kind and outcome"),
    ("confab_webhook_turns_total", "Endpoints that began to fail or to work again, by turn"),
    ("confab_webhook_loops_total", "Requests refused because webhooks led to each other"),
    ("confab_hooks_unreadable_total", "Calls of messengers that could not be read"),
    ("confab_hooks_unknown_number_total", "Events of messengers about an account not set up here"),
    ("confab_realtime_shown_total", "Events shown to connected clients"),
    ("confab_realtime_lagged_total", "Connections cut off because they did not read in time"),
    ("confab_realtime_dropped_total", "Passing events dropped past a bound, such as typing"),
    (
        "confab_realtime_cursor_resets_total",
        "Times that the realtime cursor lay ahead of the store",
    ),
    ("confab_mqtt_publishes_total", "Packets published by MQTT clients, by outcome"),
    ("confab_mqtt_refused_filters_total", "MQTT subscriptions refused"),
    ("confab_mqtt_closed_total", "MQTT connections that ended, by reason"),
    ("confab_bus_told_total", "Hints sent to other nodes"),
    ("confab_bus_heard_total", "Hints heard from other nodes"),
    ("confab_bus_dropped_total", "Hints that could not be sent to other nodes"),
    ("confab_bus_gaps_total", "Times that hints of other nodes may have been missed"),
    ("confab_bus_refused_total", "Packets of the bus that were dropped as not genuine, by reason"),
    ("confab_chores_ended_total", "Background work that ended and began again, by chore"),
    ("confab_trace_spans_sent_total", "Spans that the trace collector took"),
    ("confab_trace_spans_dropped_total", "Spans that were dropped, by reason"),
];

pub(crate) const GAUGES: [Described; 12] = [
    ("confab_realtime_connections", "Clients connected by WebSocket, events or MQTT"),
    ("confab_realtime_lag_seconds", "Age of the oldest commit that clients may not be shown yet"),
    ("confab_mqtt_sessions_away", "MQTT sessions kept for clients that are not connected"),
    ("confab_webhook_backlog", "Deliveries that are not done, by state"),
    ("confab_webhook_oldest_seconds", "Age of the oldest delivery that is not done"),
    ("confab_webhook_breakers_open", "Endpoints that fail so often that they are only probed"),
    ("confab_channels_unwell", "Channels whose messenger refuses us"),
    ("confab_free_space_bytes", "Free bytes on the fullest disk of data and files"),
    ("confab_app_upload_bytes", "Bytes of all uploads, by app"),
    ("confab_quota_limit", "What each quota allows, 0 being no limit"),
    ("confab_unproven_uploads", "Uploads that arrive now from people who are not known yet"),
    ("confab_unproven_upload_bytes", "Bytes held by uploads of people who are not known yet"),
];

pub(crate) const HISTOGRAMS: [Described; 4] = [
    ("confab_http_request_seconds", "Time from request to answer, by route"),
    ("confab_store_commit_seconds", "Time of a commit, fsync included"),
    ("confab_store_commit_writes", "Writes that shared a commit"),
    ("confab_webhook_lag_seconds", "Time from the cause to the first byte of the first attempt"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_page_on_monitoring_has_each_of_them_and_no_other() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operating/monitoring.md");
        let page = std::fs::read_to_string(page).expect("a page");
        let listed: BTreeSet<_> = page.lines().filter(|it| it.starts_with("| `confab_")).collect();
        let described = COUNTERS.into_iter().chain(GAUGES).chain(HISTOGRAMS);
        let described: BTreeSet<_> =
            described.map(|(name, text)| format!("| `{name}` | {text} |")).collect();
        assert_eq!(listed, described.iter().map(String::as_str).collect());
    }
}
