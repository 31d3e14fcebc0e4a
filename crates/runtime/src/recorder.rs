//! The metrics recorder, whose metrics Prometheus scrapes.

use std::sync::OnceLock;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::metric_descriptions::{COUNTERS, GAUGES, HISTOGRAMS};

const SECONDS_BUCKETS: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];
const WRITES_BUCKETS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];

/// Counters that start at zero when the server starts. Otherwise they would first appear with the
/// value one, in which Prometheus sees no increase, and an alert would miss the first failure.
const FROM_ZERO: [&str; 14] = [
    "confab_store_failures_total",
    "confab_store_loss_mark_failures_total",
    "confab_realtime_events_sent_total",
    "confab_realtime_lagged_total",
    "confab_realtime_dropped_total",
    "confab_realtime_cursor_resets_total",
    "confab_bus_sent_total",
    "confab_bus_received_total",
    "confab_bus_dropped_total",
    "confab_bus_gaps_total",
    "confab_provider_webhooks_unreadable_total",
    "confab_password_hashing_refused_total",
    "confab_idle_connections_closed_total",
    "confab_connections_yielded_total",
];

/// Gauges that are zero when the server starts.
const NONE_AT_FIRST: [&str; 3] = [
    "confab_realtime_connections",
    "confab_mqtt_sessions_disconnected",
    "confab_channels_unhealthy",
];

/// Counters with a label that start at zero when the server starts: name, label and the label's
/// values.
const LABELS_FROM_ZERO: [(&str, &str, &[&str]); 3] = [
    ("confab_bodies_refused_total", "bound", &["process", "address"]),
    ("confab_bus_refused_total", "reason", &["unsealed", "stale", "repeated"]),
    (
        "confab_connections_refused_total",
        "bound",
        &["sockets", "process", "app", "user", "address"],
    ),
];

/// Returns the metrics recorder, or `None` if it could not be installed. There is one per process,
/// however many servers tests start.
pub fn recorder() -> Option<&'static PrometheusHandle> {
    static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    RECORDER
        .get_or_init(|| {
            PrometheusBuilder::new()
                .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), SECONDS_BUCKETS)
                .and_then(|builder| {
                    let writes = Matcher::Suffix("_writes".to_owned());
                    builder.set_buckets_for_metric(writes, WRITES_BUCKETS)
                })
                .and_then(PrometheusBuilder::install_recorder)
                .inspect(|_| {
                    describe();
                    begin_at_zero();
                })
                .ok()
        })
        .as_ref()
}

fn describe() {
    for (name, text) in COUNTERS {
        metrics::describe_counter!(name, text);
    }
    for (name, text) in GAUGES {
        metrics::describe_gauge!(name, text);
    }
    for (name, text) in HISTOGRAMS {
        metrics::describe_histogram!(name, text);
    }
}

fn begin_at_zero() {
    for name in FROM_ZERO {
        metrics::counter!(name).increment(0);
    }
    for name in NONE_AT_FIRST {
        metrics::gauge!(name).increment(0.0);
    }
    for (name, label, values) in LABELS_FROM_ZERO {
        for value in values {
            metrics::counter!(name, label => *value).increment(0);
        }
    }
}
