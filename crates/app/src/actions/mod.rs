//! Operations that need more than one rule: they hash passwords, create secrets, call providers or
//! decide several rules. Handlers pass single rules to `Services::decide` themselves.
//!
//! Called by `http`, and by the tasks of `background`. An action supplies what a rule may not
//! create itself, such as secrets and hashes, and returns the rule's outcome after it is stored.
//! Actions do not depend on HTTP. One file for each operation.

mod block;
mod bot_user;
mod broadcast;
mod change_keys;
mod change_password;
mod connect_provider;
mod create_agent;
mod delete_agent;
mod delete_messages;
mod devices;
mod edit_message;
mod erase_contact;
mod exchange_token;
mod expire_sign_ins;
mod fill_template;
mod hide_messages;
mod log_in;
mod nonces;
mod open_chat;
mod open_pair;
mod open_room;
mod persist_presences;
mod post_message;
mod prove_password;
mod purge_expired;
mod receive_event;
mod receive_from_channel;
pub mod register_user;
mod replay_many;
mod send_directly;
mod sign_in;
mod start_conversation;
mod store_file;
mod trigger;
mod try_endpoint;
mod update_agent;
mod widget_channel;

pub use block::block_user;
pub use bot_user::bot_user;
pub use broadcast::broadcast;
pub use change_keys::change_keys;
pub use change_password::change_password;
pub use connect_provider::{ProviderRefused, connect_provider, replace_secrets};
pub use create_agent::{AgentInput, create_agent};
pub use delete_agent::delete_agent;
pub use delete_messages::delete_own_messages;
pub use devices::{put_device, remove_device};
pub use edit_message::edit_message;
pub use erase_contact::erase_contact;
pub use exchange_token::exchange_token;
pub(crate) use expire_sign_ins::expire_sign_ins;
pub use fill_template::{TemplateRefused, fill_template};
pub use hide_messages::hide_messages;
pub use log_in::{become_user, log_in};
pub use nonces::make_nonce;
pub use open_chat::{OpenedChat, open_chat};
pub use open_pair::open_pair;
pub use open_room::open_room;
pub(crate) use persist_presences::{begin_presences, persist_presences};
pub use post_message::post_message;
pub(crate) use purge_expired::purge_expired;
pub(crate) use receive_event::receive_event;
pub use receive_from_channel::receive_from_channel;
pub use register_user::register_user;
pub use replay_many::replay_many;
pub use send_directly::{DirectAnswer, send_directly};
pub use sign_in::{SignInError, SignedIn, sign_in, sign_in_by_code};
pub use start_conversation::{Recipient, Starter, start_conversation, typed_number};
pub use store_file::store_file;
pub use trigger::trigger;
pub use try_endpoint::try_endpoint;
pub use update_agent::update_agent;
pub use widget_channel::widget_channel;

#[cfg(test)]
mod tests;
