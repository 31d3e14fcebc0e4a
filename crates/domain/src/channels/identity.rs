//! A customer's ids at a provider (design/channels).

/// One id of a customer at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Kind of the id, for providers that identify a customer by several kinds of ids.
    pub kind: String,
    /// The id as the provider writes it.
    pub external_id: String,
}
