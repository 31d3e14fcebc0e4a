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
pub(crate) mod register_user;
mod replay_many;
mod send_directly;
mod sign_in;
mod start_conversation;
mod store_file;
mod trigger;
mod try_endpoint;
mod update_agent;
mod widget_channel;

pub(crate) use block::block_user;
pub(crate) use bot_user::bot_user;
pub(crate) use broadcast::broadcast;
pub(crate) use change_keys::change_keys;
pub(crate) use change_password::change_password;
pub(crate) use connect_provider::{ProviderRefused, connect_provider, replace_secrets};
pub(crate) use create_agent::{AgentInput, create_agent};
pub(crate) use delete_agent::delete_agent;
pub(crate) use delete_messages::delete_own_messages;
pub(crate) use devices::{put_device, remove_device};
pub(crate) use edit_message::edit_message;
pub(crate) use erase_contact::erase_contact;
pub(crate) use exchange_token::exchange_token;
pub(crate) use expire_sign_ins::expire_sign_ins;
pub(crate) use fill_template::{TemplateRefused, fill_template};
pub(crate) use hide_messages::hide_messages;
pub(crate) use log_in::{become_user, log_in};
pub(crate) use nonces::make_nonce;
pub(crate) use open_chat::{OpenedChat, open_chat};
pub(crate) use open_pair::open_pair;
pub(crate) use open_room::open_room;
pub(crate) use persist_presences::{begin_presences, persist_presences};
pub(crate) use post_message::post_message;
pub(crate) use purge_expired::purge_expired;
pub(crate) use receive_event::receive_event;
pub(crate) use receive_from_channel::receive_from_channel;
pub(crate) use register_user::register_user;
pub(crate) use replay_many::replay_many;
pub(crate) use send_directly::{DirectAnswer, send_directly};
pub(crate) use sign_in::{SignInError, SignedIn, sign_in, sign_in_by_code};
pub(crate) use start_conversation::{Recipient, Starter, start_conversation, typed_number};
pub(crate) use store_file::store_file;
pub(crate) use trigger::trigger;
pub(crate) use try_endpoint::try_endpoint;
pub(crate) use update_agent::update_agent;
pub(crate) use widget_channel::widget_channel;

#[cfg(test)]
mod tests;
