//! Verifying: which key a signature was made with, for somebody whose receiver refuses webhooks.

use confab_domain::field_problem::FieldProblem;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use super::Cursor;
use crate::body::Body;
use crate::fields::{Filled, Short};
use crate::request::request;

request! {
    /// `POST /verify`
    pub struct VerifyFields as "VerifyWebhook" {
        /// The delivery whose body was signed.
        delivery_id: Cursor, optional;
        /// Or the body itself, byte for byte.
        body: Short<{ limits::VERIFIED_BODY_CHARS_MAX }>, optional;
        /// The value of the header with the signature.
        header: Short<{ limits::VERIFIED_HEADER_CHARS_MAX }>, required;
        /// The key that the receiver has; without it, the app's keys are tried.
        secret: Filled<Short<{ limits::VERIFIED_HEADER_CHARS_MAX }>>, optional;
    }
}

/// What was signed.
pub enum Signed {
    /// The body of this delivery.
    Delivery(i64),
    Body(String),
}

/// What is to be verified. No `Debug`: it may hold a key.
pub struct Verify {
    pub signed: Signed,
    pub header: String,
    pub secret: Option<String>,
}

impl Verify {
    /// Reads the body.
    pub fn read(fields: &Body<'_>) -> Result<Self, Refusal> {
        let VerifyFields { delivery_id, body, header, secret } = fields.read()?;
        let signed = match (delivery_id, body) {
            (Some(delivery), None) => Signed::Delivery(delivery),
            (None, Some(body)) => Signed::Body(body),
            _ => {
                let problem = "must be given, or body, and not both";
                return Err(FieldProblem::new("delivery_id", problem).into());
            }
        };
        Ok(Self { signed, header, secret })
    }
}

/// Which key fits.
#[derive(Debug, Serialize, ToSchema)]
pub struct Verdict {
    /// `current`: the app's key; `staged`: the one that will be; `other`: the one that was, or that
    /// was given; `none`.
    #[schema(example = "current")]
    pub verdict: &'static str,
    /// The same in a sentence, and what to do.
    pub why: String,
}
