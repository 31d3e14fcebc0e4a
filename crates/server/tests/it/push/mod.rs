//! Push notifications of messages for users who are not connected (D-0051).

mod pushes;
mod refusals;
mod stage;
