//! Deliveries on their way: which may be tried now, at what pace, and how one is sent.
//!
//! Called by nobody yet: the engine that takes deliveries from the store, tries them through
//! `outbound` and writes down what became of them is being built upon it.

#![allow(dead_code, reason = "the engine that calls it is being built")]

mod lanes;
mod pace;
mod sending;
