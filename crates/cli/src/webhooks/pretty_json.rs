//! Indents JSON without changing its names, numbers and order.

const INDENT: &str = "  ";

/// Indents valid JSON; returns other text unchanged.
pub(super) fn pretty(text: &str) -> String {
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_err() {
        return text.to_owned();
    }
    let mut pretty = String::with_capacity(text.len() * 2);
    let (mut depth, mut is_quoted, mut is_escaped) = (0, false, false);
    for letter in text.chars() {
        if is_quoted {
            pretty.push(letter);
            (is_quoted, is_escaped) = (is_escaped || letter != '"', !is_escaped && letter == '\\');
        } else if !letter.is_ascii_whitespace() {
            is_quoted = letter == '"';
            push_with_breaks(&mut pretty, letter, &mut depth);
        }
    }
    pretty
}

/// Appends a character outside of quotes.
fn push_with_breaks(pretty: &mut String, letter: char, depth: &mut usize) {
    if matches!(letter, '}' | ']') {
        *depth -= 1;
        pretty.truncate(pretty.trim_end().len());
        // Keep an empty object or array on one line.
        if !pretty.ends_with(['{', '[']) {
            break_line(pretty, *depth);
        }
    }
    pretty.push(letter);
    match letter {
        '{' | '[' => {
            *depth += 1;
            break_line(pretty, *depth);
        }
        ',' => break_line(pretty, *depth),
        ':' => pretty.push(' '),
        _ => {}
    }
}

fn break_line(pretty: &mut String, depth: usize) {
    pretty.push('\n');
    pretty.push_str(&INDENT.repeat(depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pretty_json_keeps_the_order_of_names_the_digits_of_numbers_and_all_texts() {
        let text = r#"{"z":1.0,"a":[ 12345678901234567890 , {}],"t":"a, {\"b\": [\\","e":[]}"#;
        let expected = r#"{
  "z": 1.0,
  "a": [
    12345678901234567890,
    {}
  ],
  "t": "a, {\"b\": [\\",
  "e": []
}"#;
        assert_eq!(pretty(text), expected);
        assert_eq!(pretty(expected), expected, "it can be done twice");
    }

    #[test]
    fn text_that_is_not_json_stays_unchanged() {
        for text in ["", "{", "hello, world", "{]"] {
            assert_eq!(pretty(text), text);
        }
        assert_eq!(pretty("\"a  b\""), "\"a  b\"");
    }
}
