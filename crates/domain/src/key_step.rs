//! A step of a change of an app's keys (D-0029): commands and calls take the same ones (D-0134).

use crate::app::{App, KeyState};
use crate::audit::deed::Deed;
use crate::audit::differences::Differences;
use crate::audit::entry::{Actor, AuditEntry, Target};
use crate::ids::AuditId;
use crate::time::Timestamp;

/// A step. No `Debug`: keys.
#[derive(Clone)]
pub enum KeyStep {
    /// A new secret key beside the current one.
    Stage { new_key: String },
    /// The staged key is taken back.
    Unstage,
    /// The staged key is the current one; the current one goes on until then.
    Promote { until: Timestamp },
    /// The old key ends.
    Retire,
    /// Both keys are replaced at once, whatever is under way.
    Rotate { sdk_secret: String, secret_key: String },
}

impl KeyStep {
    /// What the audit calls it.
    pub fn deed(&self) -> Deed {
        match self {
            Self::Stage { .. } => Deed::KeysStaged,
            Self::Unstage => Deed::KeysUnstaged,
            Self::Promote { .. } => Deed::KeysPromoted,
            Self::Retire => Deed::KeysRetired,
            Self::Rotate { .. } => Deed::KeysRotated,
        }
    }

    /// Whether it may be taken now. The store looks once more as it writes.
    pub(crate) fn may_be_taken(&self, app: &App, now: Timestamp) -> bool {
        let standing = app.other_key.as_ref().map(|other| other.standing);
        match self {
            Self::Stage { .. } => standing.is_none_or(|it| !it.counts_at(now)),
            Self::Unstage | Self::Promote { .. } => standing == Some(KeyState::Staged),
            Self::Retire => matches!(standing, Some(KeyState::Old { .. })),
            Self::Rotate { .. } => true,
        }
    }

    /// What the audit keeps of a step that a command took.
    pub fn entry_of_command(&self, id: AuditId, now: Timestamp) -> AuditEntry {
        let from = (Actor::CommandLine, None);
        AuditEntry::new((id, now), from, self.deed(), keys(), Differences::default())
    }
}

/// What the steps change.
pub(crate) fn keys() -> Target {
    Target::nameless("keys", "")
}
