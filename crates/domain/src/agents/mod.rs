//! Agents: the people who work in the dashboard, their accounts and sign-ins.

pub mod account;
pub mod agent;
pub mod availability;
pub mod dividing;
pub mod division;
pub mod linking;
pub mod page_settings;
pub mod password;
pub mod right;
pub mod role;
pub mod signing_in;
pub mod signing_out;
pub mod staffing;
