//! What somebody tries who does not belong here, or wants to bring the server down. Each test is an
//! attack that once worked.

mod at_rest;
mod bit_rot;
mod file_modes;
mod full_disk;
mod log_ins;
mod mqtt_sessions;
mod pages;
mod quotas;
mod rights;
mod uploads;
