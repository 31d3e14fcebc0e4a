//! The report in which the server lists a proxy's changes for `confab doctor`.

use serde::{Deserialize, Serialize};

/// The first event of `/health/stream`.
#[derive(Serialize, Deserialize)]
pub struct ProbeReport {
    /// Whether a request header whose name has an underscore arrived.
    pub underscores: bool,
    /// Source of the client's address. `None` in reports of older servers.
    pub client_address: Option<ProbedAddress>,
}

/// Source of the client's address, according to a check with a spoofed header.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum ProbedAddress {
    /// The connection does not come from a trusted proxy, so the server ignores the header.
    NotRead,
    /// A trusted proxy made the connection without adding an address, so all its clients appear to
    /// have the proxy's address.
    Missing,
    /// The last address is the one that `confab doctor` sent, so clients can choose the address
    /// that the server reads.
    Spoofed,
    /// A proxy added the last address, as it should.
    Written,
}
