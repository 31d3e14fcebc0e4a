//! The verbs: one file each, one transaction each.
//!
//! Called by `http` and, later, by whatever else receives requests. An action brings what a rule
//! may not make itself (random tokens, hashes), hands the rule to the store and returns what the
//! rule decided, once that is on disk. It knows nothing of HTTP and decides nothing itself.

mod add_participants;
mod answer_customer;
mod broadcast;
mod change_password;
mod configure;
mod create_worker;
mod delete_messages;
mod delete_worker;
mod desk;
mod example;
mod hand_over;
mod lapse;
mod nonces;
mod open_channel;
mod open_chat;
mod open_pair;
mod open_room;
mod post_message;
mod post_system_event;
mod put_channel;
mod put_endpoint;
mod receive_from_channel;
mod register_user;
mod remove_participants;
mod replay;
mod replay_many;
mod reset_token;
mod set_active;
mod set_available;
mod set_paused;
mod sign_in;
mod sign_out;
mod trigger;
mod try_endpoint;
mod update_room;
mod update_worker;

pub(crate) use add_participants::add_participants;
pub(crate) use answer_customer::{answer_customer, bot_user};
pub(crate) use broadcast::broadcast;
pub(crate) use change_password::change_password;
pub(crate) use configure::{register_hook, set_settings, set_switch, switch_hook};
pub(crate) use create_worker::{WantedWorker, create_worker};
pub(crate) use delete_messages::delete_messages;
pub(crate) use delete_worker::delete_worker;
pub(crate) use hand_over::hand_over;
pub(crate) use lapse::lapse;
pub(crate) use nonces::{make_nonce, use_nonce};
pub(crate) use open_channel::open_channel;
pub(crate) use open_chat::open_chat;
pub(crate) use open_pair::open_pair;
pub(crate) use open_room::open_room;
pub(crate) use post_message::post_message;
pub(crate) use post_system_event::post_system_event;
pub(crate) use put_channel::{change_channel, connect_channel, disconnect_channel, widget_channel};
pub(crate) use put_endpoint::put_endpoint;
pub(crate) use receive_from_channel::receive_from_channel;
pub(crate) use register_user::{RegisterError, register_user};
pub(crate) use remove_participants::remove_participants;
pub(crate) use replay::replay;
pub(crate) use replay_many::replay_many;
pub(crate) use reset_token::reset_token;
pub(crate) use set_active::set_active;
pub(crate) use set_available::{force_offline, set_available};
pub(crate) use set_paused::set_paused;
pub(crate) use sign_in::{SignInError, SignedIn, sign_in};
pub(crate) use sign_out::sign_out;
pub(crate) use trigger::trigger;
pub(crate) use try_endpoint::try_endpoint;
pub(crate) use update_room::update_room;
pub(crate) use update_worker::update_worker;
