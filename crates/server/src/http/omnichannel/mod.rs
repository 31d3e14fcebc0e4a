//! The omnichannel API (spec 4.2, wire facts 5), for those who work in an app and for its other
//! services: one folder for each part, one file a route.

pub(super) mod channels;
pub(super) mod people;
pub(super) mod service;
