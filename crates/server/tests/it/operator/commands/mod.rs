//! Commands of the program.

mod app;
mod app_key;
mod backup;
mod command_line;
mod completions_and_manual;
mod doctor;
mod finding_server;
mod listen;
mod moving;
mod proxy;
mod restore;
mod search;
mod served;
mod trigger_and_replay;
mod user;
mod verify;
