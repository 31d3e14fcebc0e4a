//! Steps of a change of an app's keys. Commands and API calls use the same steps
//! (design/sign-in-and-limits).

use crate::app::{App, KeyState};
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::{Actor, AuditEntry, AuditTarget};
use crate::ids::AuditId;
use crate::time::Timestamp;

/// A step of a key change. No `Debug`: it holds keys.
#[derive(Clone)]
pub enum KeyStep {
    /// Adds a new secret key next to the current one.
    Stage { new_key: String },
    /// Removes the staged key.
    Unstage,
    /// Makes the staged key the current one. The key that it replaces stays valid until this time.
    Promote { until: Timestamp },
    /// Removes the key that was replaced by the last promotion.
    Retire,
    /// Replaces both keys of the app at once, whatever the state of the secret key.
    Rotate { sdk_secret: String, secret_key: String },
}

impl KeyStep {
    /// Returns the audit action of the step.
    pub fn deed(&self) -> AuditAction {
        match self {
            Self::Stage { .. } => AuditAction::KeysStaged,
            Self::Unstage => AuditAction::KeysUnstaged,
            Self::Promote { .. } => AuditAction::KeysPromoted,
            Self::Retire => AuditAction::KeysRetired,
            Self::Rotate { .. } => AuditAction::KeysRotated,
        }
    }

    /// Whether the state of the keys allows the step. The store checks this again when it writes
    /// the step.
    pub(crate) fn may_be_taken(&self, app: &App, now: Timestamp) -> bool {
        let standing = app.other_key.as_ref().map(|other| other.standing);
        match self {
            Self::Stage { .. } => standing.is_none_or(|it| !it.counts_at(now)),
            Self::Unstage | Self::Promote { .. } => standing == Some(KeyState::Staged),
            Self::Retire => matches!(standing, Some(KeyState::Old { .. })),
            Self::Rotate { .. } => true,
        }
    }

    /// Returns the audit entry of a step taken by a command.
    pub fn entry_of_command(&self, id: AuditId, now: Timestamp) -> AuditEntry {
        let from = (Actor::CommandLine, None);
        AuditEntry::new((id, now), from, self.deed(), keys(), Differences::default())
    }
}

/// Returns the audit target of key steps.
pub(crate) fn keys() -> AuditTarget {
    AuditTarget::nameless("keys", "")
}
