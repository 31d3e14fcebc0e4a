//! Secrets in the database, sealed with keys that are stored outside of it (D-0086).
//!
//! A [`Sealer`] seals what is written and opens what is read. Writers obtain it by
//! [`Sealer::open`], which proves that its keys are those of the database ([`proving`]) and seals
//! secrets that an older version stored in clear text. [`resealing`] rewrites all sealed secrets:
//! at the first start, when the operator changes the key, and when the key was lost. A sealed text
//! contains the id of its key and is bound to its location: it does not open in another row.
//!
//! Secrets that are only compared, never shown, are hashed: [`token_hash`].

mod hex;
pub(crate) mod keys;
pub(crate) mod packets;
pub(crate) mod proving;
mod resealing;
pub(crate) mod sealer;
pub(crate) mod statements;

pub use resealing::{Rewritten, Secrets};
