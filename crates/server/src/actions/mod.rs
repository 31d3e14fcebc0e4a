//! The verbs of the server, by file; each mostly one transaction. What a customer says is found out
//! by a first, cheap decision and received by a second.
//!
//! Called by `http` and, later, by whatever else receives requests. An action brings what a rule
//! may not make itself (random tokens, hashes), hands the rule to the store and returns what the
//! rule decided, once that is on disk. It knows nothing of HTTP and decides nothing itself.

mod block;
mod bot_user;
mod broadcast;
mod buttons;
mod change_password;
mod configure;
mod create_worker;
mod delete_messages;
mod delete_worker;
pub(crate) mod desk;
mod devices;
mod edit_message;
mod example;
mod forget_lapsed;
mod keep_file;
mod lapse;
mod log_in;
mod nonces;
mod note_presences;
mod open_chat;
mod open_pair;
mod open_room;
mod post_message;
mod put_channel;
mod put_endpoint;
mod receive_from_channel;
pub(crate) mod register_user;
mod replay;
mod replay_many;
mod set_available;
mod set_paused;
mod sign_in;
mod sign_out;
mod trigger;
mod try_endpoint;
mod update_worker;

pub(crate) use block::block_user;
pub(crate) use bot_user::bot_user;
pub(crate) use broadcast::broadcast;
pub(crate) use buttons::{press_button, put_button, remove_button};
pub(crate) use change_password::change_password;
pub(crate) use configure::{register_hook, set_settings, set_switch, switch_hook};
pub(crate) use create_worker::{WantedAgent, create_worker};
pub(crate) use delete_messages::delete_own_messages;
pub(crate) use delete_worker::delete_worker;
pub(crate) use devices::{put_device, remove_device};
pub(crate) use edit_message::edit_message;
pub(crate) use forget_lapsed::forget_lapsed;
pub(crate) use keep_file::keep_file;
pub(crate) use lapse::lapse;
pub(crate) use log_in::{become_user, log_in};
pub(crate) use nonces::make_nonce;
pub(crate) use note_presences::{begin_presences, note_presences};
pub(crate) use open_chat::{OpenedChat, open_chat};
pub(crate) use open_pair::open_pair;
pub(crate) use open_room::open_room;
pub(crate) use post_message::post_message;
pub(crate) use put_channel::{change_channel, connect_channel, disconnect_channel, widget_channel};
pub(crate) use put_endpoint::put_endpoint;
pub(crate) use receive_from_channel::receive_from_channel;
pub(crate) use register_user::register_user;
pub(crate) use replay::replay;
pub(crate) use replay_many::replay_many;
pub(crate) use set_available::{force_offline, set_available};
pub(crate) use set_paused::set_paused;
pub(crate) use sign_in::{SignInError, SignedIn, sign_in};
pub(crate) use sign_out::sign_out;
pub(crate) use trigger::trigger;
pub(crate) use try_endpoint::try_endpoint;
pub(crate) use update_worker::update_worker;

#[cfg(test)]
mod tests;
