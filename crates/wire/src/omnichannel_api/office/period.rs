//! Periods of days in a time zone, divided into days or hours, with daylight saving time (D-0140).

use confab_domain::support::assignment::tally::QUARTER_US;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::time::zone;

/// A range of days in a time zone, including the last day.
#[derive(Debug, Clone, PartialEq)]
pub struct Period {
    zone: TimeZone,
    /// Name of the time zone as given by the caller.
    pub zone_name: String,
    pub from: Date,
    pub until: Date,
}

/// Length of the intervals of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interval {
    Hour,
    Day,
}

/// A day or an hour of a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// Local start time, with its UTC offset.
    pub at: String,
    /// Number of the first quarter-hour in the interval, and of the first one after the interval;
    /// quarter-hours are counted from 1970.
    pub quarters: (i64, i64),
}

impl Period {
    /// Creates a period; `None` if the time zone is unknown or a day is outside the calendar.
    pub fn new(zone_name: &str, from: Date, until: Date) -> Option<Self> {
        let period = Self { zone: zone(zone_name)?, zone_name: zone_name.to_owned(), from, until };
        period.start(from).and(period.start(until.tomorrow().ok()?)).map(|_| period)
    }

    /// Returns the current date in a time zone.
    pub fn today(zone_name: &str, now: confab_domain::time::Timestamp) -> Option<Date> {
        let now = Timestamp::from_microsecond(now.0).ok()?;
        Some(now.to_zoned(zone(zone_name)?).date())
    }

    /// Returns the number of the first quarter-hour in the period, and of the first one after the
    /// period; quarter-hours are counted from 1970.
    pub fn quarters(&self) -> (i64, i64) {
        let end = self.until.tomorrow().ok().and_then(|day| self.start(day));
        (first_quarter(self.start(self.from)), first_quarter(end))
    }

    /// Returns the days or hours of the period in order. A day may have 23 or 25 hours.
    pub fn points(&self, step: Interval) -> Vec<Point> {
        let mut points = Vec::new();
        for day in self.days() {
            let (Some(start), Some(end)) =
                (self.start(day), day.tomorrow().ok().and_then(|next| self.start(next)))
            else {
                continue;
            };
            match step {
                Interval::Day => points.push(self.point(start, end)),
                Interval::Hour => {
                    let mut hour = start;
                    while hour < end {
                        let next = hour.checked_add(1.hour()).unwrap_or(end).min(end);
                        points.push(self.point(hour, next));
                        hour = next;
                    }
                }
            }
        }
        points
    }

    fn days(&self) -> impl Iterator<Item = Date> {
        let until = self.until;
        self.from.series(1.day()).take_while(move |day| *day <= until)
    }

    /// Returns the start of a day: midnight, or the first instant of the day if midnight does not
    /// exist.
    fn start(&self, day: Date) -> Option<Timestamp> {
        Some(day.to_zoned(self.zone.clone()).ok()?.timestamp())
    }

    fn point(&self, start: Timestamp, end: Timestamp) -> Point {
        let offset = self.zone.to_offset(start);
        let shown = start.display_with_offset(offset).to_string();
        Point { at: shown, quarters: (first_quarter(Some(start)), first_quarter(Some(end))) }
    }
}

/// Returns the number, counted from 1970, of the first quarter-hour that starts at this time or
/// later.
fn first_quarter(time: Option<Timestamp>) -> i64 {
    let micros = time.map_or(0, Timestamp::as_microsecond);
    -(-micros).div_euclid(QUARTER_US)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(zone: &str, from: &str, until: &str) -> Period {
        let day = |text: &str| text.parse().expect("a day");
        Period::new(zone, day(from), day(until)).expect("a period")
    }

    fn hours(zone: &str, day: &str) -> Vec<String> {
        period(zone, day, day).points(Interval::Hour).into_iter().map(|it| it.at).collect()
    }

    #[test]
    fn days_have_23_to_25_hours_with_daylight_saving_time() {
        assert_eq!(hours("Europe/Berlin", "2026-03-28").len(), 24);
        let spring = hours("Europe/Berlin", "2026-03-29");
        assert_eq!(spring.len(), 23);
        assert_eq!(spring[1..3], ["2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00"]);
        let autumn = hours("Europe/Berlin", "2026-10-25");
        assert_eq!(autumn.len(), 25);
        assert_eq!(autumn[2..4], ["2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00"]);
        assert_eq!(hours("Asia/Jakarta", "2026-03-29").len(), 24);
        // Daylight saving time shifts by half an hour there.
        assert_eq!(hours("Australia/Lord_Howe", "2026-10-04").len(), 24);
        // Daylight saving time skips midnight there.
        assert_eq!(hours("America/Santiago", "2026-09-06")[0], "2026-09-06T01:00:00-03:00");
    }

    #[test]
    fn intervals_of_a_period_have_no_gaps() {
        for zone in ["Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "+05:30", "UTC"] {
            let year = period(zone, "2026-01-01", "2026-12-31");
            for step in [Interval::Day, Interval::Hour] {
                let points = year.points(step);
                let is_next = |pair: &[Point]| pair[0].quarters.1 == pair[1].quarters.0;
                assert!(points.windows(2).all(is_next), "{zone}");
                let ends = (points[0].quarters.0, points[points.len() - 1].quarters.1);
                assert_eq!(ends, year.quarters(), "{zone}");
            }
            assert_eq!(year.points(Interval::Day).len(), 365);
        }
    }

    #[test]
    fn days_start_at_a_quarter_of_an_hour_in_all_zones() {
        let first =
            |zone: &str| period(zone, "2026-01-01", "2026-01-01").quarters().0.rem_euclid(4);
        assert_eq!(first("Asia/Jakarta"), 0);
        assert_eq!(first("Asia/Kolkata"), 2);
        assert_eq!(first("Asia/Kathmandu"), 1);
        let day = "2026-01-01".parse().expect("a day");
        assert_eq!(Period::new("Nowhere/Land", day, day), None);
        assert_eq!(Period::new("UTC", Date::MAX, Date::MAX), None);
    }
}
