//! Conversations with customers: from admission and messages to resolution.

pub mod answerer;
pub mod answering;
pub mod correcting;
pub mod customer_room;
pub mod echoing;
pub mod index_state;
pub mod indexing;
pub mod initiating;
pub mod receiving;
pub mod reopening;
pub mod resolving;
pub mod seeing;
pub mod speaking;
pub mod starting;
pub mod support_room;
pub mod trail;
