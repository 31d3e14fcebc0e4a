//! The dashboard's half of the server: its pages, its sign-in, and what it reads and hears. What
//! people do in a browser is tested in `web/e2e`.

mod contacts;
mod conversations;
mod corrections;
mod files;
mod inbox;
mod myself;
mod notes;
mod pages;
mod presses;
mod sessions;
mod tags;
