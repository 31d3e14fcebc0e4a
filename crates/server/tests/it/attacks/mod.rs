//! What somebody tries who does not belong here, or wants to bring the server down. Each test is an
//! attack that once worked.

mod widget_visitors;
