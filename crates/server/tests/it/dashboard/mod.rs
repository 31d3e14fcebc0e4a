//! The dashboard's half of the server: its pages, its sign-in, and what it reads and hears. What
//! people do in a browser is tested in `web/e2e`.

mod conversation_life;
mod conversations;
mod inbox;
mod lists;
mod live;
mod marks;
mod pages;
mod reopening;
mod rows;
mod sessions;
mod trail;
