//! Opens a widget chat for a visitor.

use confab_domain::app::App;
use confab_domain::channels::channel::Channel;
use confab_domain::decision::principal::Principal;
use confab_domain::limits;
use confab_domain::people::user::without_plus;
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::initiating::{
    Admission, AdmitStranger, AdmittedCustomer, NewCustomerIds, Nonces, UpdateVisitor, Visitor,
    WidgetProof,
};
use confab_domain::time::Timestamp;
use confab_runtime::{clock, ids};
use confab_store::WriteError;
use confab_wire::omnichannel_api::channels::VisitorCredentials;

use crate::credentials::identity_tokens::{self, IdentityClaims};
use crate::decide::Decisions;

/// An open chat. Not `Debug`, because it contains secrets.
pub struct OpenedChat {
    /// The visitor as a customer, and their room.
    pub greeted: AdmittedCustomer,
    /// A token that proves the customer's identity once.
    pub identity_token: String,
    /// Secret by which a new visitor is recognized on the next visit; `None` for returning
    /// visitors.
    pub visitor_secret: Option<String>,
}

/// Opens the visitor's room if their credentials satisfy the app's requirements.
pub async fn open_chat(
    decisions: &Decisions,
    by: &Principal,
    channel: &Channel,
    visitor: Visitor,
    shown: VisitorCredentials,
) -> Result<OpenedChat, WriteError> {
    let (now, secret) = (clock::now(), ids::secret());
    let proof = proof(&by.app, &visitor, &shown, &secret, now)?;
    let nonces = Nonces { used: shown.nonce, new: ids::secret(), new_until: expiry_of(now) };
    let claims = IdentityClaims {
        iss: by.app.code.as_str().to_owned(),
        iat: now.unix_seconds(),
        exp: expiry_of(now).unix_seconds(),
        nbf: now.unix_seconds(),
        nce: nonces.new.clone(),
        prn: visitor.user_id.as_str().to_owned(),
        chn: Some(channel.id.0),
        name: None,
        avatar_url: None,
    };
    let new = NewCustomerIds { token: ids::secret(), unique_id: ids::room_unique_id() };
    let admission = Admission { nonces, proof };
    let (channel, visiting) = (channel.clone(), visitor.clone());
    let greet = AdmitStranger { channel, visitor: visiting, new, by: admission };
    let (mut greeted, is_new) = decisions.decide(by, greet).await?;
    let known = &greeted.customer_room;
    if known.extras != visitor.room_extras || known.brand != visitor.brand {
        let room = greeted.customer_room.room;
        greeted.customer_room = decisions.decide(by, UpdateVisitor { room, visitor }).await?;
    }
    let identity_token = identity_tokens::token(&by.app, &claims);
    Ok(OpenedChat { greeted, identity_token, visitor_secret: is_new.then_some(secret) })
}

/// Returns the proof of a visitor's identity. An identity token that is not valid for this visit is
/// rejected even if the app requires none. A token can be used once, because its nonce is used up.
fn proof(
    app: &App,
    visitor: &Visitor,
    shown: &VisitorCredentials,
    new_secret: &str,
    now: Timestamp,
) -> Result<WidgetProof, Refusal> {
    let is_valid = |token: &String| {
        let claims = identity_tokens::claims(app, token, now);
        claims.is_some_and(|it| {
            without_plus(&it.prn) == visitor.user_id.as_str() && it.nce == shown.nonce
        })
    };
    if shown.identity_token.as_ref().is_some_and(|token| !is_valid(token)) {
        return Err(Refusal::VisitorNotProven);
    }
    Ok(WidgetProof {
        is_vouched_for: shown.identity_token.is_some(),
        secret_hash: shown.visitor_secret.as_deref().map(ids::token_hash),
        new_secret_hash: ids::token_hash(new_secret),
    })
}

/// Returns the expiry time of a token or nonce created now.
fn expiry_of(now: Timestamp) -> Timestamp {
    Timestamp(now.0 + limits::NONCE_TTL_S * 1_000_000)
}
