//! Phone numbers as people type them (channel facts 3.5).

/// Converts a typed number to WhatsApp's format; `None` if it is malformed. `home` is the calling
/// code for numbers typed without one, such as `62`.
pub fn typed_number(typed: &str, home: &str) -> Option<String> {
    let is_between = |letter: &char| letter.is_whitespace() || "-().".contains(*letter);
    let bare: String = typed.chars().filter(|letter| !is_between(letter)).collect();
    let (is_whole, digits) = match bare.strip_prefix('+').or_else(|| bare.strip_prefix("00")) {
        Some(digits) => (true, digits),
        None => (false, bare.as_str()),
    };
    if !digits.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let number = match digits.strip_prefix('0') {
        _ if is_whole => digits.to_owned(),
        Some(rest) => format!("{home}{rest}"),
        // Indonesian numbers are often written without the zero.
        None if home == "62" && digits.starts_with('8') => format!("{home}{digits}"),
        None => digits.to_owned(),
    };
    (8..=15).contains(&number.len()).then_some(number)
}

/// Returns the spellings under which WhatsApp may report a number. They serve only to look up a
/// customer; messages are never sent to them.
pub fn spellings(number: &str) -> Vec<String> {
    let mut found = vec![number.to_owned()];
    found.extend(brazilian(number).or_else(|| with_or_without(number, "54", "9", 12)));
    found.extend(with_or_without(number, "52", "1", 12));
    found
}

/// Adds or removes the nine after a Brazilian area code: `55 11 9 8888 7777`.
fn brazilian(number: &str) -> Option<String> {
    let (area, rest) = number.strip_prefix("55")?.split_at_checked(2)?;
    match rest.len() {
        8 => Some(format!("55{area}9{rest}")),
        9 => rest.strip_prefix('9').map(|rest| format!("55{area}{rest}")),
        _ => None,
    }
}

/// Adds or removes `digit` after the calling code `code`. A number without this digit has `short`
/// digits.
fn with_or_without(number: &str, code: &str, digit: &str, short: usize) -> Option<String> {
    let rest = number.strip_prefix(code)?;
    match number.len() {
        length if length == short => Some(format!("{code}{digit}{rest}")),
        length if length == short + 1 => {
            rest.strip_prefix(digit).map(|rest| format!("{code}{rest}"))
        }
        _ => None,
    }
}
