//! Checks of JSON text that serde skips when it reads a raw value. Used by `wire` and `providers`.

use crate::limits;

/// Checks nesting depth and surrogate pairs, which serde's raw values do not check. The rest of the
/// grammar is checked when the text is parsed.
pub fn check_json(text: &str) -> Result<(), &'static str> {
    const TOO_DEEP: &str = "is nested too deeply, at most 64 levels are allowed";
    check_json_of_depth::<{ limits::JSON_DEPTH_MAX }>(text, TOO_DEEP)
}

/// Like [`check_json`], for imported JSON, which may be nested more deeply.
pub fn check_moved_json(text: &str) -> Result<(), &'static str> {
    const TOO_DEEP: &str = "is nested too deeply, at most 72 levels are allowed";
    check_json_of_depth::<{ limits::MOVED_JSON_DEPTH_MAX }>(text, TOO_DEEP)
}

fn check_json_of_depth<const DEPTH_MAX: usize>(
    text: &str,
    too_deep: &'static str,
) -> Result<(), &'static str> {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut in_string) = (0, 0usize, false);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if in_string => at = after_escape(bytes, at)?,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Err(too_deep);
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

fn after_escape(bytes: &[u8], at: usize) -> Result<usize, &'static str> {
    const LONE: &str = "contains half of a surrogate pair, which is not a character";
    if bytes.get(at) != Some(&b'u') {
        return Ok(at + 1);
    }
    match hex4(bytes, at + 1) {
        Some(0xd800..=0xdbff) => {
            let has_escape = bytes.get(at + 5..at + 7) == Some(b"\\u");
            match hex4(bytes, at + 7) {
                Some(0xdc00..=0xdfff) if has_escape => Ok(at + 11),
                _ => Err(LONE),
            }
        }
        Some(0xdc00..=0xdfff) => Err(LONE),
        // The parser reports any other malformed escape.
        _ => Ok(at + 1),
    }
}

fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    hex(bytes, at, 4)
}

/// Parses `count` hexadecimal digits that begin at `at`; `None` if there are fewer.
pub fn hex(bytes: &[u8], at: usize, count: usize) -> Option<u32> {
    let digits = bytes.get(at..at + count)?;
    digits.iter().try_fold(0, |sum, digit| Some(sum << 4 | (*digit as char).to_digit(16)?))
}
