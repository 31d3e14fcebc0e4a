//! The client API of the published SDKs: messages.

mod access;
mod catching_up;
mod deleting;
mod odd_values;
mod posting;
mod receipts;
mod searching;
