//! Splits Rust code into words and signs.

/// Returns the words, literals and signs of a text, without comments, lifetimes and single
/// characters. `::` is one sign.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (token, after) = rest.split_at(length(rest, first));
        if !first.is_whitespace() && first != '\'' && !is_comment(token) {
            found.push(token);
        }
        rest = after;
    }
    found
}

fn is_comment(token: &str) -> bool {
    token.starts_with("//") || token.starts_with("/*")
}

/// Whether a token is a name or a keyword.
pub(super) fn is_word(token: &str) -> bool {
    token.starts_with(is_part_of_word) && !token.starts_with(|c: char| c.is_ascii_digit())
}

fn is_part_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns the length of the token at the start of a text.
fn length(text: &str, first: char) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return length_of_comment(text);
    }
    if let Some(length) = length_of_raw_string(text) {
        return length;
    }
    match first {
        '"' => length_of_quoted(text, '"'),
        '\'' if is_character(text) => length_of_quoted(text, '\''),
        '\'' => 1 + length_of_word(&text[1..]),
        _ if is_part_of_word(first) => length_of_word(text),
        _ if text.starts_with("::") => 2,
        _ => first.len_utf8(),
    }
}

fn length_of_word(text: &str) -> usize {
    text.find(|c| !is_part_of_word(c)).unwrap_or(text.len())
}

/// Returns the length of a comment in `/*`, which may contain others.
fn length_of_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let (change, length) = match &text.as_bytes()[at..] {
            [b'/', b'*', ..] => (1, 2),
            [b'*', b'/', ..] => (-1, 2),
            _ => (0, 1),
        };
        depth += change;
        at += length;
        if depth == 0 {
            break;
        }
    }
    at
}

/// Returns the length of a raw string such as `r#"…"#`, if the text begins with one.
fn length_of_raw_string(text: &str) -> Option<usize> {
    let start = ["r", "br", "cr"].iter().find_map(|prefix| text.strip_prefix(prefix))?;
    let inside = start.trim_start_matches('#');
    let end = format!("\"{}", "#".repeat(start.len() - inside.len()));
    let content = inside.strip_prefix('"')?;
    let length = content.find(&end).map_or(content.len(), |at| at + end.len());
    Some(text.len() - content.len() + length)
}

/// Whether a text that begins with `'` begins with a character, not with a lifetime.
fn is_character(text: &str) -> bool {
    let mut letters = text.chars().skip(1);
    letters.next() == Some('\\') || letters.next() == Some('\'')
}

fn length_of_quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|(_, letter)| {
        let is_end = *letter == quote && !is_escaped;
        is_escaped = *letter == '\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// Returns the position after the bracket that closes the one at this position.
pub(super) fn after_group(tokens: &[&str], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// Returns the tokens without the items, fields and statements that only tests compile.
pub(super) fn shipped<'a>(tokens: &[&'a str]) -> Vec<&'a str> {
    let mut left = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_for_tests(tokens, at) {
            at = after_item(tokens, at);
        } else {
            left.push(tokens[at]);
            at += 1;
        }
    }
    left
}

/// Whether an attribute such as `#[cfg(test)]` or `#[cfg(all(test, unix))]` is at this position.
fn is_for_tests(tokens: &[&str], at: usize) -> bool {
    tokens[at..].starts_with(&["#", "[", "cfg", "("]) && {
        let attribute = &tokens[at..after_group(tokens, at + 1)];
        attribute.contains(&"test") && !attribute.iter().any(|it| ["any", "not"].contains(it))
    }
}

/// Returns the position after the item whose attributes begin at this position.
fn after_item(tokens: &[&str], mut at: usize) -> usize {
    while tokens.get(at) == Some(&"#") {
        at = after_group(tokens, at + 1);
    }
    // A field ends with a comma, and so does an arm of a match.
    let is_field = tokens.get(at + 1) == Some(&":") || tokens.get(at + 2) == Some(&":");
    let is_use = tokens[at..].iter().take_while(|it| **it != "{").any(|it| *it == "use");
    while let Some(token) = tokens.get(at) {
        match *token {
            ";" => return at + 1,
            "," if is_field => return at + 1,
            "}" => return at,
            "{" if !is_use => return after_group(tokens, at),
            "(" | "[" | "{" => at = after_group(tokens, at),
            _ => at += 1,
        }
    }
    at
}

#[test]
fn code_is_split_into_words_and_signs() {
    let text = "a::b /* c /* d */ e */ 'f' '\\'' 'g: // h\n\"i \\\" //\" r#\"j\"k\"# r\"\\\" l2!";
    let expected = ["a", "::", "b", ":", "\"i \\\" //\"", "r#\"j\"k\"#", "r\"\\\"", "l2", "!"];
    assert_eq!(tokens(text), expected);
}

#[test]
fn items_for_tests_are_left_out() {
    let left = |text: &str| shipped(&tokens(text)).concat();
    assert_eq!(left("a; #[cfg(test)] mod tests { b { c } } d;"), "a;d;");
    assert_eq!(left("#[cfg(test)] use a::{b, c}; d;"), "d;");
    assert_eq!(left("#[cfg(test)] #[test] fn a<B, C>(d: D) -> E { f } g"), "g");
    assert_eq!(left("#[cfg(all(test, unix))] mod a; b"), "b");
    assert_eq!(left("struct A { #[cfg(test)] pub a: (B, C), d: D }"), "structA{d:D}");
    assert_eq!(left("#[cfg(not(test))] a; #[cfg(any(test, unix))] b;").matches(';').count(), 2);
}
