//! By which ids a service knows a customer (D-0151).

/// One id of a customer at a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// What kind of id it is, where a service has several.
    pub kind: String,
    /// As the service writes it.
    pub external_id: String,
}
