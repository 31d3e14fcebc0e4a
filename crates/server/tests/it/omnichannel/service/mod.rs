//! Who serves whom, over HTTP: assigning, allocation, resolving, buttons, tags, rooms.

mod allocation;
mod assigning;
mod buttons;
mod infos;
mod many_rooms;
mod resolving;
mod rooms;
mod strangers;
mod superseded;
mod tags;
mod takeover;
mod unserved;
