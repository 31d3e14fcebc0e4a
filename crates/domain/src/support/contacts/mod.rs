//! Data about customers.

pub mod customer_blocking;
pub mod customer_info;
pub mod erasing;
pub mod renaming;
