//! The progress line of a command on a terminal.

use std::io::{IsTerminal, Write as _};
use std::time::{Duration, Instant};

use confab_wire::moving::Counts;

const SHOWN_EVERY: Duration = Duration::from_millis(200);

/// The progress line. Nothing is printed unless standard error is a terminal.
pub(super) struct Progress {
    begun: Instant,
    next: Instant,
    is_shown: bool,
}

impl Progress {
    pub(super) fn begin() -> Self {
        let begun = Instant::now();
        Self { begun, next: begun + SHOWN_EVERY, is_shown: std::io::stderr().is_terminal() }
    }

    /// Prints the counts, at most once per `SHOWN_EVERY`.
    pub(super) fn show(&mut self, counts: &Counts) {
        let now = Instant::now();
        if self.is_shown && now >= self.next {
            self.next = now + SHOWN_EVERY;
            let _ = write!(std::io::stderr(), "\r{counts} ");
        }
    }

    /// Ends the line. Returns the seconds since the start.
    pub(super) fn end(&self) -> f64 {
        if self.is_shown {
            eprintln!();
        }
        self.begun.elapsed().as_secs_f64()
    }
}
