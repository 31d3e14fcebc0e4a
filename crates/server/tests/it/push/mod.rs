//! Push notifications of messages for users who are not connected (design/webhooks).

mod pushes;
mod refusals;
mod stage;
