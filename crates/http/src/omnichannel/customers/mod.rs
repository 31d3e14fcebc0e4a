//! Calls about data of customers.

pub(crate) mod contact_cards;
pub(crate) mod contact_data;
pub(crate) mod contacts;
pub(crate) mod customer_info;
pub(crate) mod infos;
