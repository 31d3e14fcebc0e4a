//! Many apps in one process, strictly apart (spec 5).

mod credentials;
mod same_names;
mod strangers;
