//! Schema versions of stored data and of this program.

/// Newest migration applied to the data, and newest migration of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaVersions {
    /// Version of the data; 0 without a schema.
    pub found: usize,
    pub known: usize,
}

impl SchemaVersions {
    /// Whether the schema of the data is exactly that of this program.
    pub fn is_current(self) -> bool {
        self.found == self.known
    }
}
