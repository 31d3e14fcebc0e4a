//! Apps in one process are isolated from each other (spec 5).

mod credentials;
mod same_names;
mod strangers;
