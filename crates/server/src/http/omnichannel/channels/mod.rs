//! Routes: where customers write from, and the bot. One file a route.
