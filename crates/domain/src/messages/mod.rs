//! Messages: posting, editing, deleting and acknowledging them.

pub mod acknowledging;
pub mod conversation_event;
pub mod deleting;
pub mod editing;
pub mod finding;
pub mod hiding;
pub mod message;
pub mod message_kind;
pub mod payload;
pub mod rating;

pub mod incomplete_payload;
pub mod posting;
pub mod room_event;
pub mod unique_id;
