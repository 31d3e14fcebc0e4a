//! Removing: files that only erased messages named (D-0146). Who names a file is found by looking
//! through all messages; until then it is in doubt.

use crate::decision::change::FileChange;
use crate::decision::rule::Decision;
use crate::ids::{AppId, MessageId};

/// What was found out about a file in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileReferences {
    /// Something else names it: it stays.
    Named,
    /// No message up to this one names it.
    NotNamedUpTo(MessageId),
    /// Nothing names it, and its bytes are gone: so many.
    Gone(u64),
}

/// What becomes of a file in doubt.
pub fn settle(app: AppId, hash: &str, found: FileReferences) -> Decision<()> {
    let hash = hash.to_owned();
    let change = match found {
        FileReferences::Named => FileChange::Trust { app, hash },
        FileReferences::NotNamedUpTo(up_to) => FileChange::LookOn { app, hash, up_to },
        FileReferences::Gone(size) => FileChange::Remove { app, hash, size },
    };
    Decision::new(vec![change.into()], ())
}
