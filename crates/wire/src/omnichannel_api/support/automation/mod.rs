//! Public JSON about custom buttons and canned replies.

pub mod buttons;
pub mod canned_replies;
