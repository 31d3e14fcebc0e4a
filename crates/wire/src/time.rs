//! Times as the public API writes them.

use confab_domain::time::Timestamp;

/// `2026-01-31T10:00:00Z` (spec 2.1).
pub fn to_the_second(time: Timestamp) -> String {
    // Times come from the server's own clock, far inside the range of the calendar.
    jiff::Timestamp::from_second(time.unix_seconds()).unwrap_or_default().to_string()
}

/// `2026-01-31T10:00:00.000000Z`.
pub fn to_the_microsecond(time: Timestamp) -> String {
    let time = jiff::Timestamp::from_microsecond(time.0).unwrap_or_default();
    format!("{time:.6}")
}

/// `2026-01-31 10:00:00`, in UTC (spec 4.2).
pub fn to_the_plain_second(time: Timestamp) -> String {
    let time = jiff::Timestamp::from_second(time.unix_seconds()).unwrap_or_default();
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_to_the_second_with_z() {
        assert_eq!(to_the_second(Timestamp(1_769_853_600_999_999)), "2026-01-31T10:00:00Z");
    }

    #[test]
    fn a_plain_time_has_a_blank_and_no_zone() {
        let shown = to_the_plain_second(Timestamp(1_769_853_600_999_999));
        assert_eq!(shown, "2026-01-31 10:00:00");
    }

    #[test]
    fn a_time_is_written_to_the_microsecond_even_if_it_is_a_full_second() {
        let shown = to_the_microsecond(Timestamp(1_769_853_600_000_000));
        assert_eq!(shown, "2026-01-31T10:00:00.000000Z");
        let shown = to_the_microsecond(Timestamp(1_769_853_600_000_120));
        assert_eq!(shown, "2026-01-31T10:00:00.000120Z");
    }
}
