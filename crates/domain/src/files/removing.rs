//! Removal of files that only erased messages referenced (design/support). A background task
//! searches all messages for other references; until it has finished, the file is marked as
//! unreferenced.

use crate::decision::change::FileChange;
use crate::decision::rule::Decision;
use crate::ids::{AppId, MessageId};

/// The result of a search for references to a file marked as unreferenced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileReferences {
    /// A message or another object references the file.
    Named,
    /// No message up to this one references the file.
    NotNamedUpTo(MessageId),
    /// Nothing references the file, and its bytes were deleted: this many.
    Gone(u64),
}

/// Keeps, continues to check or removes a file marked as unreferenced.
pub fn settle(app: AppId, hash: &str, found: FileReferences) -> Decision<()> {
    let hash = hash.to_owned();
    let change = match found {
        FileReferences::Named => FileChange::Trust { app, hash },
        FileReferences::NotNamedUpTo(up_to) => FileChange::MarkChecked { app, hash, up_to },
        FileReferences::Gone(size) => FileChange::Remove { app, hash, size },
    };
    Decision::new(vec![change.into()], ())
}
