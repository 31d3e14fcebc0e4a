//! Users, agents, their sign-ins and the app's keys.

pub(super) mod bot_user;
pub(super) mod change_keys;
pub(super) mod change_password;
pub(super) mod create_agent;
pub(super) mod delete_agent;
pub(super) mod devices;
pub(super) mod exchange_token;
pub(super) mod expire_sign_ins;
pub(super) mod log_in;
pub(super) mod nonces;
pub(super) mod prove_password;
pub mod register_user;
pub(super) mod sign_in;
pub(super) mod update_agent;
