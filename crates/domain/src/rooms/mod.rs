//! Rooms: opening, updating, joining and clearing them.

pub mod clearing;
pub mod following;
pub mod joining;
pub mod opening;
pub mod room;
pub mod room_view;
pub mod seeing;

pub mod updating;
pub mod visiting;
