//! Routes: who works in an app and what it is set to. One file a route.
