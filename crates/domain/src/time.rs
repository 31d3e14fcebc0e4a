//! Time as a value. Only the server's clock creates current times.

/// A point in time, in microseconds since 1970 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Returns whole seconds since 1970, as in the public API.
    pub fn unix_seconds(self) -> i64 {
        self.0.div_euclid(1_000_000)
    }

    /// Returns whole milliseconds since 1970.
    pub fn unix_ms(self) -> i64 {
        self.0.div_euclid(1_000)
    }

    /// Returns the time that is this number of days, of 24 hours each, later.
    pub fn days_later(self, days: u32) -> Self {
        Self(self.0 + i64::from(days) * 86_400 * 1_000_000)
    }
}
