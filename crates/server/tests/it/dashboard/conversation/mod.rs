//! One conversation: its messages, actions, notes and trail.

mod bulk;
mod conversation_life;
mod conversations;
mod corrections;
mod files;
mod marks;
mod notes;
mod presses;
mod reopening;
mod tags;
mod trail;
