//! What was found, how bad it is, and what to do about it.

use serde::Serialize;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    /// As it should be.
    Ok,
    /// It could not be looked at now.
    Skipped,
    /// It works, but not well, or not for long.
    Warning,
    /// Something does not work.
    Trouble,
}

impl Level {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Skipped => "skipped",
            Self::Warning => "warning",
            Self::Trouble => "TROUBLE",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct DoctorFinding {
    /// What was looked at, in a word or two.
    pub(super) check: &'static str,
    pub(super) level: Level,
    pub(super) found: String,
    /// What to do; empty where there is nothing to be done.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) advice: String,
}

/// All that was found, in the order it was looked at.
#[derive(Default)]
pub(super) struct Findings(pub(super) Vec<DoctorFinding>);

impl Findings {
    pub(super) fn ok(&mut self, check: &'static str, found: impl Into<String>) {
        self.add(check, Level::Ok, found, "");
    }

    pub(super) fn skipped(&mut self, check: &'static str, found: impl Into<String>) {
        self.add(check, Level::Skipped, found, "");
    }

    pub(super) fn warning(
        &mut self,
        check: &'static str,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) {
        self.add(check, Level::Warning, found, advice);
    }

    pub(super) fn trouble(
        &mut self,
        check: &'static str,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) {
        self.add(check, Level::Trouble, found, advice);
    }

    pub(super) fn add(
        &mut self,
        check: &'static str,
        level: Level,
        found: impl Into<String>,
        advice: impl Into<String>,
    ) {
        self.0.push(DoctorFinding { check, level, found: found.into(), advice: advice.into() });
    }

    pub(super) fn count(&self, level: Level) -> usize {
        self.0.iter().filter(|finding| finding.level == level).count()
    }
}
