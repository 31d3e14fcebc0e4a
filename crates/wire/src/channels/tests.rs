//! Tests of the adapters: golden files, edges and bounds.
//!
//! A golden file holds what came and what was heard, or a message of ours and what is sent. The
//! first half is written by hand from the channel facts; `CONFAB_WRITE_GENERATED=1` writes the
//! second, which is then read by a person.

mod any_body;
mod any_message;
mod email;
mod line;
mod messenger;
mod shared;
mod support;
mod telegram;
mod whatsapp;
