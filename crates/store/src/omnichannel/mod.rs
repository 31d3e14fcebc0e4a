//! The omnichannel half: people who work, channels, customers, sessions.
//!
//! Written once for both engines, as statement texts with [`Value`]s: [`facts`] are what rules
//! decide upon, [`changes`] what they write, [`reads`] what handlers list. The engines only run
//! what is handed to them. Promises and limits are those of the whole store.

pub(crate) mod changes;
pub(crate) mod facts;
pub(crate) mod locks;
mod reads;
mod rows;
pub(crate) mod statements;

pub use reads::{ListedRoom, WhichRooms};

use crate::statements::Sql;
use crate::values::Value;

/// A statement to be run with these values.
pub(crate) struct Ask {
    pub(crate) sql: &'static Sql,
    pub(crate) values: Vec<Value>,
}

impl Ask {
    pub(crate) fn new(sql: &'static Sql, values: Vec<Value>) -> Self {
        Self { sql, values }
    }
}
