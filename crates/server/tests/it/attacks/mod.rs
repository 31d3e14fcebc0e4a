//! What somebody tries who does not belong here, or wants to bring the server down. Each test is an
//! attack that once worked.

mod at_rest;
mod bit_rot;
mod chosen_agents;
mod early_answers;
mod file_modes;
mod full_disk;
mod half_requests;
mod held_requests;
mod log_ins;
mod mqtt_sessions;
mod pages;
mod quotas;
mod realms;
mod rights;
mod silent_connections;
mod uploads;
