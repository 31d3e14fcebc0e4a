//! Time formats of the public API.

use confab_domain::support::automation::office_hours::LocalTime;
use confab_domain::time::Timestamp;
use jiff::tz::{Offset, TimeZone};

/// Formats a time as `2026-01-31T10:00:00Z` (spec 2.1).
pub fn to_the_second(time: Timestamp) -> String {
    // Times come from the server's own clock, well inside the calendar's range.
    jiff::Timestamp::from_second(time.unix_seconds()).unwrap_or_default().to_string()
}

/// Formats a time as `2026-01-31T10:00:00.000000Z`.
pub fn to_the_microsecond(time: Timestamp) -> String {
    let time = jiff::Timestamp::from_microsecond(time.0).unwrap_or_default();
    format!("{time:.6}")
}

/// Formats a time as `2026-01-31 10:00:00`, in UTC (spec 4.2).
pub fn to_the_plain_second(time: Timestamp) -> String {
    let time = jiff::Timestamp::from_second(time.unix_seconds()).unwrap_or_default();
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Returns a time zone by name (`Asia/Jakarta`) or offset from UTC (`+07:00`). The time zone
/// database is part of the program; the operating system's is not used.
pub(crate) fn zone(name: &str) -> Option<TimeZone> {
    match name.strip_prefix(['+', '-']) {
        None => TimeZone::get(name).ok(),
        Some(distance) => {
            let (hours, minutes) = distance.split_once(':')?;
            let is_number =
                |text: &str| text.len() == 2 && text.bytes().all(|it| it.is_ascii_digit());
            let number = |text: &str| text.parse::<i32>().ok().filter(|_| is_number(text));
            let (hours, minutes) = (number(hours)?, number(minutes)?);
            let seconds = (hours * 60 + minutes) * 60;
            let seconds = if name.starts_with('-') { -seconds } else { seconds };
            let offset = Offset::from_seconds(seconds).ok();
            offset.filter(|_| hours <= 14 && minutes < 60).map(TimeZone::fixed)
        }
    }
}

/// Whether a text is the name of a time zone or an offset from UTC.
pub fn is_zone(name: &str) -> bool {
    zone(name).is_some()
}

/// Returns the weekday and the time of day in a time zone; in UTC if the zone is unknown.
pub fn local_time(name: &str, time: Timestamp) -> LocalTime {
    let time = jiff::Timestamp::from_microsecond(time.0).unwrap_or_default();
    let shown = time.to_zoned(zone(name).unwrap_or(TimeZone::UTC));
    let (hour, minute) = (shown.hour().unsigned_abs(), shown.minute().unsigned_abs());
    LocalTime {
        day: shown.weekday().to_sunday_zero_offset().unsigned_abs(),
        minute: u16::from(hour) * 60 + u16::from(minute),
    }
}

/// Returns the offset of a time zone from UTC at this time, such as `+07:00`.
pub(crate) fn distance(name: &str, time: Timestamp) -> String {
    let time = jiff::Timestamp::from_microsecond(time.0).unwrap_or_default();
    let seconds = zone(name).map_or(0, |zone| zone.to_offset(time).seconds());
    let minutes = seconds.unsigned_abs() / 60;
    let sign = if seconds < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_formatted_to_the_second_with_z() {
        assert_eq!(to_the_second(Timestamp(1_769_853_600_999_999)), "2026-01-31T10:00:00Z");
    }

    /// Berlin sets its clocks forward on 2026-03-29 at 01:00 UTC.
    #[test]
    fn local_times_follow_the_rules_of_their_time_zone() {
        let at = |text: &str| {
            Timestamp(text.parse::<jiff::Timestamp>().expect("a time").as_microsecond())
        };
        let shown = |zone: &str, text: &str| {
            let LocalTime { day, minute } = local_time(zone, at(text));
            (day, minute / 60, minute % 60)
        };
        assert_eq!(shown("Europe/Berlin", "2026-03-29T00:59:00Z"), (0, 1, 59));
        assert_eq!(shown("Europe/Berlin", "2026-03-29T01:00:00Z"), (0, 3, 0));
        assert_eq!(distance("Europe/Berlin", at("2026-03-29T00:59:00Z")), "+01:00");
        assert_eq!(distance("Europe/Berlin", at("2026-03-29T01:00:00Z")), "+02:00");
        assert_eq!(shown("Asia/Jakarta", "2026-01-31T18:30:00Z"), (0, 1, 30));
        assert_eq!(shown("+07:00", "2026-01-31T18:30:00Z"), (0, 1, 30));
        assert_eq!(distance("-03:30", at("2026-01-31T18:30:00Z")), "-03:30");
        assert_eq!(shown("Nowhere/Land", "2026-01-31T18:30:00Z"), (6, 18, 30));
        for name in ["", "Nowhere/Land", "+7", "+07:60", "+15:00", "+aa:00", "+-7:00", "7:00"] {
            assert!(!is_zone(name), "{name}");
        }
    }

    #[test]
    fn a_plain_time_has_a_space_and_no_zone() {
        let shown = to_the_plain_second(Timestamp(1_769_853_600_999_999));
        assert_eq!(shown, "2026-01-31 10:00:00");
    }

    #[test]
    fn a_time_has_six_decimals_even_if_it_is_a_full_second() {
        let shown = to_the_microsecond(Timestamp(1_769_853_600_000_000));
        assert_eq!(shown, "2026-01-31T10:00:00.000000Z");
        let shown = to_the_microsecond(Timestamp(1_769_853_600_000_120));
        assert_eq!(shown, "2026-01-31T10:00:00.000120Z");
    }
}
