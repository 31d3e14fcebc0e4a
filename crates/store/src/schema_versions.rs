//! How far the schema of some data is, and how far this version of Confab would bring it.

/// The number of the newest step that was made, and of the newest that is known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaVersions {
    /// 0 where there is no schema.
    pub found: usize,
    pub known: usize,
}

impl SchemaVersions {
    /// Whether nothing has to be brought up to date, and all of it is known.
    pub fn is_current(self) -> bool {
        self.found == self.known
    }
}
