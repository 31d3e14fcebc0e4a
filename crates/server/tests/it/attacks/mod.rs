//! What somebody tries who does not belong here, or wants to bring the server down. Each test is an
//! attack that once worked.

mod early_answers;
mod half_requests;
mod held_requests;
mod silent_connections;
