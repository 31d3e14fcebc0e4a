//! The program for operators: start, settings, commands, shutdown, log.

mod app_command;
mod app_key_command;
mod backup_command;
mod citus;
mod command_line;
mod completions_and_manual;
mod doctor_command;
mod documented_settings;
mod encryption;
mod finding_server;
mod first_start;
mod listen_command;
mod log;
mod moving_commands;
mod proxy;
mod restore_command;
mod search_command;
mod served;
mod settings;
mod stopping;
mod traces;
mod user_command;
mod verify_command;
mod webhooks_command;
