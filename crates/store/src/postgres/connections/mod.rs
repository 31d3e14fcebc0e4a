//! Connections to the database: addresses, readers, and statements in a fixed order.

pub(super) mod connection;
pub(crate) mod endpoint;
pub(super) mod in_order;
pub(super) mod lists;
pub(super) mod pipeline;
pub(super) mod pooling;
pub(super) mod readers;
pub(super) mod values;
