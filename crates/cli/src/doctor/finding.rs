//! The findings of `confab doctor`, with severity and advice.

use serde::Serialize;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    /// The check found no problem.
    Ok,
    /// The check was not possible.
    Skipped,
    /// The checked part works with limitations, or will soon fail.
    Warning,
    /// The checked part does not work.
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

/// The result of one check.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct DoctorFinding {
    /// Name of the check, one or two words.
    pub(super) check: &'static str,
    pub(super) level: Level,
    pub(super) found: String,
    /// Advice for the operator; empty if nothing is wrong.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) advice: String,
}

/// All findings, in the order of the checks.
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
