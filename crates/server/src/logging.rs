//! One line per event, as text for people or as JSON for machines. Never a secret, a token, a
//! message or an e-mail address: nothing of the kind is ever handed to a log call.

use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;

/// Libraries that would write parameters of statements, which hold messages and tokens, or an
/// address with its password.
const NEVER_HEARD: &str = "tokio_postgres=off,async_nats=off";

/// Starts logging to standard error.
pub fn start(level: &str, format: LogFormat) {
    let lines =
        tracing_subscriber::fmt().with_env_filter(filter(level)).with_writer(std::io::stderr);
    // A second start in one process (tests) keeps the first.
    let _ = match format {
        LogFormat::Text => lines.with_target(false).with_ansi(false).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
}

/// What is logged at a level.
pub(crate) fn filter(level: &str) -> EnvFilter {
    EnvFilter::new(format!("{level},{NEVER_HEARD}"))
}
