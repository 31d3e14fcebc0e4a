//! Agents: those who work in the dashboard, their accounts and sign-ins.

pub mod account;
pub mod password;
pub mod signing_in;
pub mod staffing;
