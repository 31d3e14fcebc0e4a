//! Tests of the adapters: golden files, edge cases and bounds.
//!
//! A golden file contains a received body and the events read from it, or a message of ours and the
//! requests that send it. The first half is written by hand from the channel facts;
//! `CONFAB_WRITE_GENERATED=1` writes the second, which a person then reviews.

mod any_body;
mod any_message;
mod email;
mod line;
mod messenger;
mod shared;
mod support;
mod telegram;
mod whatsapp;
