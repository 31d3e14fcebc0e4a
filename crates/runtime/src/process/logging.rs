//! Logging: one line per event, as text or as JSON. No log call receives a secret, token, message
//! or e-mail address.

use std::fmt::{self, Debug, Write};

use tracing::field::{Field, Visit};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;

use crate::config::LogFormat;

/// Filter that silences libraries: they would log statement parameters, which contain messages and
/// tokens, or a URL with its password.
const SILENCED: &str = "tokio_postgres=off,async_nats=off";

/// Starts logging to standard error.
pub fn start(level: &str, format: LogFormat) {
    let lines =
        tracing_subscriber::fmt().with_env_filter(filter(level)).with_writer(std::io::stderr);
    // In tests, a second start in the process keeps the first logger.
    let _ = match format {
        LogFormat::Text => {
            lines.with_target(false).with_ansi(false).fmt_fields(PlainFields).try_init()
        }
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
}

/// Returns the log filter for a level, such as `info`.
pub fn filter(level: &str) -> EnvFilter {
    EnvFilter::new(format!("{level},{SILENCED}"))
}

/// Formats fields without colors, writing each in whole pieces instead of per character. Every
/// request logs a line, whose cost must be lower than that of its response.
struct PlainFields;

impl<'writer> FormatFields<'writer> for PlainFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut line = LogLine { out: OneLine(writer), is_begun: false, written: Ok(()) };
        fields.record(&mut line);
        line.written
    }
}

struct LogLine<'writer> {
    out: OneLine<'writer>,
    is_begun: bool,
    written: fmt::Result,
}

impl LogLine<'_> {
    fn add(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        let name = field.name();
        let out = &mut self.out;
        let mut write = || {
            if self.is_begun {
                out.write_char(' ')?;
            }
            if name != "message" {
                out.write_str(name)?;
                out.write_char('=')?;
            }
            out.write_fmt(value)
        };
        self.written = self.written.and_then(|()| write());
        self.is_begun = true;
    }
}

impl Visit for LogLine<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, format_args!("{value:?}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.add(field, format_args!("{value}"));
    }
}

/// A writer that escapes control characters, so that a value cannot start a new line or control a
/// terminal.
struct OneLine<'writer>(Writer<'writer>);

impl Write for OneLine<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.bytes().all(|byte| (b' '..0x7f).contains(&byte)) {
            return self.0.write_str(text);
        }
        text.chars().try_for_each(|c| match c.is_control() {
            true => write!(self.0, "{}", c.escape_default()),
            false => self.0.write_char(c),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns the text of a log line after its level.
    fn logged(log: impl FnOnce()) -> String {
        let written = Written::default();
        let writer = written.clone();
        let lines = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .with_target(false)
            .with_ansi(false)
            .without_time()
            .fmt_fields(PlainFields);
        tracing::subscriber::with_default(lines.finish(), log);
        String::from_utf8(written.0.lock().clone()).expect("UTF-8")
    }

    #[test]
    fn the_message_comes_first_and_then_each_field_with_its_name() {
        let line = logged(|| tracing::info!(room.id = 7, app.code = "a b", "room {} opened", 7));
        assert_eq!(line, " INFO room 7 opened room.id=7 app.code=\"a b\"\n");
    }

    #[test]
    fn logged_values_cannot_start_a_line_or_contain_terminal_escapes() {
        let name = "Zoë\n\x1b[2J\u{85}";
        let line = logged(|| tracing::info!(user.name = name, "hello {name}"));
        let named = "Zoë\\n\\u{1b}[2J\\u{85}";
        assert_eq!(line, format!(" INFO hello {named} user.name=\"{named}\"\n"));
    }
}
