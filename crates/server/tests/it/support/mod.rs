//! What tests stand on: people, customers and outsiders.
//!
//! [`office::Office`] is an app and those who work in it, all by HTTP. [`world::World`] is an
//! office whose people, channels and customers are put into the store, without the calls that make
//! them. [`shop::Shop`] is a world with a server of its own, a gateway and a receiver of webhooks.

pub mod office;
pub mod shop;
pub mod world;
