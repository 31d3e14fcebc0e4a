//! The shape of every write: a question, the facts found for it, and a decision.
//!
//! The store loads the facts and applies the changes in one transaction. A rule only reads facts
//! and returns a decision.

pub mod question;

pub mod facts;

pub mod right;

pub mod principal;

pub mod context;

pub mod stamp;

pub mod rule;

pub mod change;

pub mod commit_event;

pub mod commit_effects;

pub mod purging;
