//! The one shape of every write: a question, the facts found for it, and a decision.
//!
//! The store loads facts and applies changes within one transaction; a rule only looks and decides.

pub mod question;

pub mod facts;

pub mod right;

pub mod context;

pub mod stamp;

pub mod rule;

pub mod change;

pub mod commit_event;

pub mod forgetting;
