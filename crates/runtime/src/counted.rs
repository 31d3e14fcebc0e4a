//! Formats numbers with their noun in the singular or plural.

/// Returns `1 page`, `2 pages` and so on.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
