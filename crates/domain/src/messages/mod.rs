//! Messages: what is said in rooms, and what becomes of it.

pub mod acknowledging;
pub mod deleting;
pub mod editing;
pub mod message;
pub mod payload;
pub mod posting;
pub mod unique_id;
