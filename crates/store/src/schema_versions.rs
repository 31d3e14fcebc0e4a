//! Schema versions of stored data and of this program.

/// Versions of a schema: the number of migrations applied to the data, and of those in this
/// program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaVersions {
    /// Schema version of the data; 0 if it has no schema.
    pub found: usize,
    pub known: usize,
}

impl SchemaVersions {
    /// Whether the schema of the data is exactly that of this program.
    pub fn is_current(self) -> bool {
        self.found == self.known
    }
}
