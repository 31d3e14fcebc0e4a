//! Formats errors for the log and the terminal.

/// Returns an error with all its causes, on one line. A cause that a library repeats in the text of
/// its error is included only once.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.ends_with(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{words}")]
    struct Step {
        words: &'static str,
        #[source]
        source: io::Error,
    }

    #[test]
    fn each_cause_is_formatted_once_even_if_an_error_repeats_it() {
        let formatted = |words| chain(&Step { words, source: io::Error::other("refused") });
        assert_eq!(formatted("connecting"), "connecting: refused");
        assert_eq!(formatted("connecting: refused"), "connecting: refused");
    }
}
