//! Verification of webhook signatures: finds the key that a signature was made with, to debug a
//! receiver that refuses webhooks.

use confab_domain::field_problem::FieldProblem;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use super::Cursor;
use crate::body::Body;
use crate::fields::{NonEmpty, Short};
use crate::request::request;

request! {
    /// Body of `POST /verify`.
    pub struct VerifyFields as "VerifyWebhook" {
        /// Id of the delivery whose body was signed.
        delivery_id: Cursor, optional;
        /// Exact signed body, as an alternative to `delivery_id`.
        body: Short<{ limits::VERIFIED_BODY_CHARS_MAX }>, optional;
        /// Value of the signature header.
        header: Short<{ limits::VERIFIED_HEADER_CHARS_MAX }>, required;
        /// Key that the receiver uses; default the keys of the app.
        secret: NonEmpty<Short<{ limits::VERIFIED_HEADER_CHARS_MAX }>>, optional;
    }
}

/// The body whose signature is verified.
pub enum SignedBody {
    /// The body of a delivery, by its id.
    Delivery(i64),
    Body(String),
}

/// A request to verify a signature. No `Debug`, because it may contain a key.
pub struct Verify {
    pub signed: SignedBody,
    pub header: String,
    pub secret: Option<String>,
}

impl Verify {
    /// Parses the body.
    pub fn read(fields: &Body<'_>) -> Result<Self, Refusal> {
        let VerifyFields { delivery_id, body, header, secret } = fields.read()?;
        let signed = match (delivery_id, body) {
            (Some(delivery), None) => SignedBody::Delivery(delivery),
            (None, Some(body)) => SignedBody::Body(body),
            _ => {
                let problem = "is required without body, and must be absent with it";
                return Err(FieldProblem::new("delivery_id", problem).into());
            }
        };
        Ok(Self { signed, header, secret })
    }
}

/// The key with which a signature was made.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignatureVerdict {
    /// `current`: the app's secret key; `staged`: the app's next key; `other`: the previous key,
    /// the SDK secret or the given key; `none`: none of these keys.
    #[schema(example = "current")]
    pub verdict: &'static str,
    /// Explanation of the verdict, and what to do.
    pub why: String,
}
