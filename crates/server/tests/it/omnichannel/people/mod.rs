//! Over HTTP: who works in an app and what it is set to.
