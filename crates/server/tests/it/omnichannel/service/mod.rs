//! Customer service over HTTP: assignment, allocation, resolution, buttons, tags, rooms.

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
