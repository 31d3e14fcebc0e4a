//! Customers: their data, lists and ratings.

mod contact_data;
mod contact_list;
mod contacts;
mod ratings;
