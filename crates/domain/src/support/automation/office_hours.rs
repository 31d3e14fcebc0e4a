//! Office hours: the weekly opening times of an office, in its time zone (design/support).

use crate::field_problem::FieldProblem;
use crate::limits;
use crate::time::Timestamp;

/// Number of minutes in a day.
const DAY: u16 = 24 * 60;

/// A weekday and time of day. The time zone is implied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalTime {
    /// Day of the week; 0 is Sunday.
    pub day: u8,
    /// Minutes since midnight.
    pub minute: u16,
}

/// An opening interval on one day of the week. Opening hours across midnight need two intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenStretch {
    /// Day of the week; 0 is Sunday.
    pub day: u8,
    /// First minute of the interval, in minutes since midnight.
    pub from: u16,
    /// First minute after the interval, in minutes since midnight.
    pub to: u16,
}

impl OpenStretch {
    /// Parses an interval between two times in the form `hh:mm`. As its end, `23:59` and `24:00`
    /// both mean midnight.
    pub fn parse(day: u8, from: &str, to: &str) -> Result<Self, &'static str> {
        let (from, to) = (minute(from), minute(to).map(|it| if it == DAY - 1 { DAY } else { it }));
        match (from, to) {
            (Some(from), Some(to)) if from < to => Ok(Self { day, from, to }),
            (Some(_), Some(_)) => Err("must end after it begins, on the same day"),
            _ => Err("must have times such as 09:00"),
        }
    }

    /// Returns the start as `hh:mm`.
    pub fn begins(&self) -> String {
        shown(self.from)
    }

    /// Returns the end as `hh:mm`. Midnight is returned as `23:59`, because not every client
    /// accepts `24:00`.
    pub fn ends(&self) -> String {
        shown(self.to.min(DAY - 1))
    }

    fn has(&self, time: LocalTime) -> bool {
        self.day == time.day && (self.from..self.to).contains(&time.minute)
    }
}

fn minute(text: &str) -> Option<u16> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |text: &str| {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u16>().ok().filter(|_| is_number)
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let minute = hours * 60 + minutes;
    (minutes < 60 && minute <= DAY).then_some(minute)
}

fn shown(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

/// The weekly opening hours of an app's support staff. Without intervals, the office is always
/// open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfficeHours {
    stretches: Vec<OpenStretch>,
    /// Time when the hours were set.
    pub set_at: Option<Timestamp>,
}

impl OfficeHours {
    /// Creates office hours, sorted by weekday and time. Fails if there are too many intervals or
    /// if two overlap.
    pub fn new(field: &str, mut stretches: Vec<OpenStretch>) -> Result<Self, FieldProblem> {
        if stretches.len() > limits::OFFICE_STRETCHES_MAX {
            let max = limits::OFFICE_STRETCHES_MAX;
            return Err(FieldProblem::new(field, format!("must have at most {max} items")));
        }
        stretches.sort_unstable();
        let overlap =
            |pair: &[OpenStretch]| pair[0].day == pair[1].day && pair[1].from < pair[0].to;
        if stretches.windows(2).any(overlap) {
            return Err(FieldProblem::new(field, "must not overlap"));
        }
        Ok(Self { stretches, set_at: None })
    }

    /// Returns the office hours with the time when they were set.
    pub fn set(self, at: Timestamp) -> Self {
        Self { set_at: Some(at), ..self }
    }

    /// Returns the intervals, sorted by weekday and time.
    pub fn stretches(&self) -> &[OpenStretch] {
        &self.stretches
    }

    /// Whether the office is open.
    pub fn is_open(&self, time: LocalTime) -> bool {
        self.stretches.is_empty() || self.stretches.iter().any(|it| it.has(time))
    }

    /// Renders the stored form: the time of the change, then `day from-to` for each interval.
    pub fn stored(&self) -> String {
        let set_at = self.set_at.map_or(0, |time| time.0);
        let stretch = |it: &OpenStretch| format!(";{} {}-{}", it.day, it.from, it.to);
        self.stretches.iter().map(stretch).fold(set_at.to_string(), |all, one| all + &one)
    }

    /// Parses the stored form. Unreadable intervals are skipped.
    pub fn from_stored(text: &str) -> Self {
        let mut parts = text.split(';');
        let set_at = parts.next().and_then(|text| text.parse().ok()).map(Timestamp);
        let stretch = |text: &str| {
            let (day, times) = text.split_once(' ')?;
            let (from, to) = times.split_once('-')?;
            let (day, from) = (day.parse().ok()?, from.parse().ok()?);
            Some(OpenStretch { day, from, to: to.parse().ok()? })
        };
        Self { stretches: parts.filter_map(stretch).collect(), set_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(day: u8, from: &str, to: &str) -> OpenStretch {
        OpenStretch::parse(day, from, to).expect("a valid interval")
    }

    #[test]
    fn an_office_is_open_from_the_first_minute_to_the_last_one() {
        let hours = OfficeHours::new("x", vec![stretch(1, "09:00", "17:30")]).expect("valid hours");
        let at = |day, minute| hours.is_open(LocalTime { day, minute });
        assert!(!at(1, 9 * 60 - 1) && at(1, 9 * 60) && at(1, 17 * 60 + 29) && !at(1, 17 * 60 + 30));
        assert!(!at(2, 9 * 60));
        let late = OfficeHours::new("x", vec![stretch(0, "20:00", "23:59")]).expect("valid hours");
        assert!(late.is_open(LocalTime { day: 0, minute: DAY - 1 }), "to the end of the day");
        assert!(
            OfficeHours::default().is_open(LocalTime { day: 3, minute: 0 }),
            "no hours are set"
        );
    }

    #[test]
    fn invalid_and_overlapping_intervals_are_refused() {
        for (from, to) in
            [("17:00", "09:00"), ("09:00", "09:00"), ("9:00", "10:00"), ("09:60", "10:00")]
        {
            assert!(OpenStretch::parse(1, from, to).is_err(), "{from} {to}");
        }
        assert!(OpenStretch::parse(1, "00:00", "24:00").is_ok());
        assert!(OpenStretch::parse(1, "00:00", "24:01").is_err());
        assert!(OpenStretch::parse(1, "+1:00", "02:00").is_err());
        let overlap = vec![stretch(1, "09:00", "12:00"), stretch(1, "11:00", "14:00")];
        assert!(OfficeHours::new("x", overlap).is_err());
        let adjacent = vec![stretch(1, "12:00", "14:00"), stretch(1, "09:00", "12:00")];
        assert_eq!(
            OfficeHours::new("x", adjacent).expect("valid hours").stretches()[0].begins(),
            "09:00"
        );
    }

    #[test]
    fn stored_hours_are_parsed_unchanged() {
        let two = vec![stretch(1, "09:00", "17:00"), stretch(6, "10:00", "24:00")];
        let mut hours = OfficeHours::new("x", two).expect("valid hours");
        hours.set_at = Some(Timestamp(7));
        assert_eq!(hours.stored(), "7;1 540-1020;6 600-1440");
        assert_eq!(OfficeHours::from_stored(&hours.stored()), hours);
        assert_eq!(hours.stretches()[1].ends(), "23:59");
    }
}
