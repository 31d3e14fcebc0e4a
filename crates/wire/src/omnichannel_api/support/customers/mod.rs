//! Public JSON about customers: their properties, export and rooms.

pub mod contact_export;
pub mod contact_list;
pub mod contacts;
pub mod infos;
