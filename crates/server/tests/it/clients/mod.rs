//! The client API of the published SDKs: messages.

mod access;
mod catching_up;
mod client;
mod deleting;
mod posting;
mod receipts;
mod searching;
