//! Operations that need more than one rule: they hash passwords, create secrets, call providers or
//! decide several rules. Handlers pass single rules to `Decisions::decide` themselves.
//!
//! Called by `http`, and by the tasks of `background`. An action supplies what a rule may not
//! create itself, such as secrets and hashes, and returns the rule's outcome after it is stored.
//! Actions do not depend on HTTP. One file for each operation.

pub mod accounts;
mod channels;
mod messages;
mod upkeep;
mod webhooks;

pub use accounts::bot_user::bot_user;
pub use accounts::change_keys::change_keys;
pub use accounts::change_password::change_password;
pub use accounts::create_agent::{AgentInput, create_agent};
pub use accounts::delete_agent::delete_agent;
pub use accounts::devices::{put_device, remove_device};
pub use accounts::exchange_token::exchange_token;
pub(crate) use accounts::expire_sign_ins::expire_sign_ins;
pub use accounts::log_in::{become_user, log_in};
pub use accounts::nonces::make_nonce;
pub use accounts::register_user::register_user;
pub use accounts::sign_in::{SignInError, SignedIn, sign_in, sign_in_by_code};
pub use accounts::update_agent::update_agent;
pub use channels::connect_provider::{ProviderRefused, connect_provider, replace_secrets};
pub use channels::erase_contact::erase_contact;
pub use channels::fill_template::{TemplateRefused, fill_template};
pub(crate) use channels::inbound_worker::InboundWorker;
pub use channels::receive_from_channel::receive_from_channel;
pub use channels::send_directly::{DirectAnswer, send_directly};
pub use channels::start_conversation::{Recipient, Starter, start_conversation, typed_number};
pub use channels::widget_channel::widget_channel;
pub use messages::block::block_user;
pub use messages::broadcast::broadcast;
pub use messages::delete_messages::delete_own_messages;
pub use messages::edit_message::edit_message;
pub use messages::hide_messages::hide_messages;
pub use messages::open_chat::{OpenedChat, open_chat};
pub use messages::open_pair::open_pair;
pub use messages::open_room::open_room;
pub use messages::post_message::post_message;
pub use messages::store_file::store_file;
pub(crate) use upkeep::persist_presences::{begin_presences, persist_presences};
pub(crate) use upkeep::purge_expired::purge_expired;
pub use webhooks::replay_many::replay_many;
pub use webhooks::trigger::trigger;
pub use webhooks::try_endpoint::try_endpoint;

#[cfg(test)]
mod tests;
