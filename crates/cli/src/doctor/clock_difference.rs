//! Compares this machine's clock with another one.

use confab_domain::time::Timestamp;

use super::finding::{Findings, Level};

/// Maximum clock difference in seconds that is ignored: requests take time, and some clocks report
/// whole seconds.
const UNNOTICED_S: i64 = 5;
/// Maximum clock difference in seconds that causes only a warning. Above it, signatures, tokens and
/// certificates may be rejected.
const BORNE_S: i64 = 60;

/// Reports the difference between the clocks of this machine and of `other`.
pub(super) fn check(findings: &mut Findings, other: &str, ours: Timestamp, theirs: Timestamp) {
    let seconds = (ours.0 - theirs.0) / 1_000_000;
    let level = level_of(seconds);
    if level == Level::Ok {
        findings.ok("clock", format!("agrees with {other}"));
        return;
    }
    let side = if seconds > 0 { "ahead of" } else { "behind" };
    let found = format!("{} s {side} {other}", seconds.abs());
    findings.add(
        "clock",
        level,
        found,
        "synchronize both machines by NTP (systemd-timesyncd, chrony)",
    );
}

fn level_of(seconds: i64) -> Level {
    match seconds.abs() {
        0..=UNNOTICED_S => Level::Ok,
        ..=BORNE_S => Level::Warning,
        _ => Level::Trouble,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_differences_of_seconds_are_ok_and_of_minutes_trouble() {
        for (seconds, level) in [
            (0, Level::Ok),
            (-5, Level::Ok),
            (6, Level::Warning),
            (-60, Level::Warning),
            (61, Level::Trouble),
            (-100_000, Level::Trouble),
        ] {
            assert_eq!(level_of(seconds), level, "{seconds} s");
        }
        let mut findings = Findings::default();
        let (ours, theirs) = (Timestamp(90_000_000), Timestamp(10_000_000));
        check(&mut findings, "the database", ours, theirs);
        assert_eq!(findings.0[0].found, "80 s ahead of the database");
    }
}
