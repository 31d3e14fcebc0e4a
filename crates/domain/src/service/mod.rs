//! Service: customers' rooms, from the first message to the resolved conversation.

pub mod allocating;
pub mod answering;
pub mod auto_reply;
pub mod auto_replying;
pub mod buttons;
pub mod canned_reply;
pub mod canning;
pub mod configuring;
pub mod correcting;
pub mod customer_blocking;
pub mod customer_info;
pub mod customer_room;
pub mod initiating;
pub mod note;
pub mod noting;
pub mod office_hours;
pub mod receiving;
pub mod renaming;
pub mod resolving;
pub mod seeing;
pub mod serving;
pub mod settings;
pub mod speaking;
pub mod tag;
pub mod tag_keeping;
pub mod tags;
