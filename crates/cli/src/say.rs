//! The macro with which commands print their results.

/// Prints a line. A closed pipe (`confab config | head`) is not an error.
macro_rules! say {
    ($($line:tt)+) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($line)+);
    }};
}
