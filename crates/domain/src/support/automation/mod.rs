//! Automatic replies and resolution, office hours, ratings, custom buttons and canned replies.

pub mod auto_reply;
pub mod auto_replying;
pub mod buttons;
pub mod canned_reply;
pub mod canning;
pub mod idling;
pub mod office_hours;
pub mod surveying;
