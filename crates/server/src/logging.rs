//! One line per event, as text for people or as JSON for machines. Never a secret, a token, a
//! message or an e-mail address: nothing of the kind is ever handed to a log call.

use std::fmt::{self, Debug, Write};

use tracing::field::{Field, Visit};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;

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
        LogFormat::Text => {
            lines.with_target(false).with_ansi(false).fmt_fields(PlainFields).try_init()
        }
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
}

/// What is logged at a level.
pub(crate) fn filter(level: &str) -> EnvFilter {
    EnvFilter::new(format!("{level},{NEVER_HEARD}"))
}

/// Fields as the library writes them without colours, in whole pieces instead of character by
/// character: every request has a line, and its line must cost less than its answer.
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

/// Passes on what is plain, and spells out what would begin a new line or speak to a terminal.
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

    /// What stands in the log after its level.
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
    fn nothing_that_is_logged_begins_a_line_or_speaks_to_a_terminal() {
        let name = "Zoë\n\x1b[2J\u{85}";
        let line = logged(|| tracing::info!(user.name = name, "hello {name}"));
        let named = "Zoë\\n\\u{1b}[2J\\u{85}";
        assert_eq!(line, format!(" INFO hello {named} user.name=\"{named}\"\n"));
    }
}
