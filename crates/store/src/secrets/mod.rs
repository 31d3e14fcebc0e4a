//! Secrets that stand in the database, sealed with keys that do not (D-0086).
//!
//! A [`Sealer`] seals what is written and opens what is read; whoever writes has it by
//! [`Sealer::open`], which proves that its keys are those of the database ([`proving`]) and seals
//! what an older version left in clear. [`resealing`] goes through everything that is sealed: at
//! the first start, when the key changes, and when it was lost. A sealed text names its key and is
//! bound to its place: in the row of somebody else it does not open.
//!
//! What is looked up rather than shown is hashed: [`token_hash`].

mod hex;
pub(crate) mod keys;
pub(crate) mod packets;
pub(crate) mod proving;
mod resealing;
pub(crate) mod sealer;
pub(crate) mod statements;

pub use resealing::{Rewritten, Secrets};
