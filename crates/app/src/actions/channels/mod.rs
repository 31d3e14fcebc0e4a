//! Messages to and from customers' channels.

pub(super) mod connect_provider;
pub(super) mod erase_contact;
pub(super) mod fill_template;
pub(super) mod inbound_worker;
mod receive_event;
pub(super) mod receive_from_channel;
pub(super) mod send_directly;
pub(super) mod start_conversation;
pub(super) mod widget_channel;
