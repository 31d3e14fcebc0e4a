//! The contract of every store, one function per guarantee. `main.rs` runs them on every engine.

pub mod posting;

pub mod pages;
pub mod random_rooms;
pub mod ranges;

pub mod many_messages;

pub mod only_looking;
pub mod search_index;
pub mod secrets;
pub mod unique_ids;

pub mod catching_up;
pub mod changing_keys;
pub mod many_apps;

pub mod people;
pub mod realms;
pub mod rooms;
pub mod uploads;

pub mod unread;

pub mod listings;

pub mod moving;

pub mod agents;
pub mod audiences;
pub mod audit;
pub mod channels;
pub mod customers;
pub mod devices;
pub mod office;
pub mod receipts;
pub mod searching;
pub mod seen_rooms;
pub mod services;
pub mod settings;
pub mod tallies;
pub mod trails;

pub mod deciding;
pub mod deliveries;
pub mod delivery_lists;
pub mod endpoints;
pub mod looks;
pub mod overhearing;

pub mod restarting;
