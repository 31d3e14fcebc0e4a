//! Removal of files that may be unreferenced because a message was erased (design/support). A
//! background task searches all messages for references to such a file; until it finishes, the file
//! is marked as possibly unreferenced.

use crate::decision::change::FileChange;
use crate::decision::rule::Decision;
use crate::ids::{AppId, MessageId};

/// The result of a search for references to a possibly unreferenced file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileReferences {
    /// A message or another object references the file.
    Named,
    /// No message up to this one references the file; the search must continue.
    NotNamedUpTo(MessageId),
    /// Nothing references the file, and its content of this many bytes was deleted.
    Gone(u64),
}

/// Returns the decision on a possibly unreferenced file: keep it, continue the search, or remove
/// it.
pub fn settle(app: AppId, hash: &str, found: FileReferences) -> Decision<()> {
    let hash = hash.to_owned();
    let change = match found {
        FileReferences::Named => FileChange::Trust { app, hash },
        FileReferences::NotNamedUpTo(up_to) => FileChange::MarkChecked { app, hash, up_to },
        FileReferences::Gone(size) => FileChange::Remove { app, hash, size },
    };
    Decision::new(vec![change.into()], ())
}
