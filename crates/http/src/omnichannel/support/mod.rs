//! Calls about conversations with customers.

pub(crate) mod answers;
pub(crate) mod assigning;
pub(crate) mod bulk;
pub(crate) mod buttons;
pub(crate) mod canned_replies;
pub(crate) mod conversation;
pub(crate) mod conversation_life;
pub(crate) mod conversations;
pub(crate) mod corrections;
pub(crate) mod files;
pub(crate) mod inbox;
pub(crate) mod inbox_live;
pub(super) mod inbox_pace;
pub(crate) mod marks;
pub(crate) mod notes;
pub(crate) mod resolving;
pub(crate) mod room_history;
pub(crate) mod search;
pub(crate) mod starting;
pub(crate) mod tags;
