//! The program for operators: start, settings, commands, shutdown, log.

mod citus;
mod commands;
mod documented_settings;
mod encryption;
mod first_start;
mod log;
mod settings;
mod stopping;
mod traces;
