//! `POST /verify`: finds the key with which a webhook was signed.

use axum::http::StatusCode;
use confab_delivery::carriers::webhook::webhook_id;
use confab_domain::app::{App, KeyState};
use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_store::Store;
use confab_verify::{hex, standard, verify as fits, why};
use confab_wire::webhook_api::Data;
use confab_wire::webhook_api::verifying::{SignatureVerdict, SignedBody, Verify, VerifyFields};

use crate::calls::calls;
use crate::requests::bodies::RequestBody;
use crate::requests::callers::WebhookCaller;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

calls! {
    "Webhooks";
    /// Find the key that a signature was made with, or why none matches
    POST "/verify" verify_webhook_signature = verify [403 404];
}

async fn verify(
    Part(store): Part<Store>,
    caller: WebhookCaller,
    body: RequestBody<VerifyFields>,
) -> Answer<Data<SignatureVerdict>> {
    let Verify { signed, header, secret } = Verify::read(&body.fields()?)?;
    let app = &caller.app;
    let letter = match signed {
        SignedBody::Body(body) => SignedLetter { body, sent: Vec::new() },
        SignedBody::Delivery(id) => {
            let found = store.delivery(app.id, DeliveryId(id)).await?;
            let unknown = || Refusal::DeliveryNotFound(id.to_string());
            let (delivery, _, attempts) = found.ok_or_else(unknown)?;
            let id = webhook_id(&delivery);
            let sent = attempts.iter().rev().take(limits::VERIFIED_ATTEMPTS_MAX);
            let sent = sent.map(|it| (id.clone(), it.at.unix_seconds())).collect();
            SignedLetter { body: delivery.body.to_string(), sent }
        }
    };
    let app = app.clone();
    // Hashing a large body several times would block other requests on this thread.
    let judged = move || verdict(&app, &letter, header.trim(), secret.as_deref());
    let judged = tokio::task::spawn_blocking(judged).await;
    data(judged.map_err(|_| Problem::of_status(StatusCode::INTERNAL_SERVER_ERROR))?)
}

/// A signed body, with the id and the time in Unix seconds of each attempt to deliver it.
struct SignedLetter {
    body: String,
    sent: Vec<(String, i64)>,
}

impl SignedLetter {
    /// Whether the signature was made with the key, by any of the signature methods of webhooks.
    fn fits(&self, key: &str, header: &str) -> bool {
        let body = self.body.as_bytes();
        let is_standard = self.sent.iter().any(|(id, sent_s)| {
            let (timestamp, signature) = (&sent_s.to_string(), header);
            standard::verify(key, standard::Headers { id, timestamp, signature }, body, *sent_s)
                .is_ok()
        });
        is_standard || fits(key, body, header).is_ok()
    }
}

fn verdict(
    app: &App,
    letter: &SignedLetter,
    header: &str,
    secret: Option<&str>,
) -> SignatureVerdict {
    let said = |verdict, why: &str| SignatureVerdict { verdict, why: why.to_owned() };
    let other = app.other_key.as_ref();
    let mut keys = vec![("current", app.secret_key.as_str())];
    keys.extend(other.map(|it| match it.standing {
        KeyState::Staged => ("staged", it.key.as_str()),
        KeyState::Old { .. } => ("other", it.key.as_str()),
    }));
    let fitting = keys.iter().find(|(_, key)| letter.fits(key, header));
    match (fitting, secret) {
        (Some((name, key)), Some(secret)) if secret != *key => said(
            name,
            &format!("The signature was made with the app's {name} key, not with the given key."),
        ),
        (Some(("current", _)), _) => {
            said("current", "The signature was made with the app's secret key.")
        }
        (Some(("staged", _)), _) => said(
            "staged",
            "The signature was made with the staged key. Promote the key when all receivers have \
             it.",
        ),
        (Some(_), _) => {
            said("other", "The signature was made with the previous key, which is still valid.")
        }
        (None, Some(secret)) if letter.fits(secret, header) => said(
            "other",
            "The signature was made with the given key, which is not a key of this app.",
        ),
        (None, _) if fits_sdk_secret(app, letter, header) => said(
            "other",
            "The signature was made with the SDK secret: it is the value of the header \
             sdk-signature.",
        ),
        (None, secret) => {
            let key = secret.unwrap_or(&app.secret_key);
            said("none", &why(key, letter.body.as_bytes(), header).advice())
        }
    }
}

/// Whether the signature was made with the SDK secret, as in webhooks about every message (wire
/// facts 3.8).
fn fits_sdk_secret(app: &App, letter: &SignedLetter, header: &str) -> bool {
    hex::verify(&app.sdk_secret, letter.body.as_bytes(), header).is_ok()
}

#[cfg(test)]
mod tests {
    use confab_domain::app::{AppCode, OtherKey};
    use confab_domain::ids::{AppId, UserKey};
    use confab_domain::time::Timestamp;

    use super::*;

    fn verdict_of(until: Option<Timestamp>, key: &str) -> &'static str {
        let app = App {
            id: AppId(1),
            code: AppCode::parse("shop").expect("a code"),
            name: "Shop".to_owned(),
            sdk_secret: "sdk".to_owned(),
            secret_key: "current".to_owned(),
            other_key: Some(OtherKey::from_stored("second".to_owned(), until)),
            system_user: UserKey(2),
            created_at: Timestamp(0),
            has_chat_message_webhook: false,
            shows_sender_extras: false,
        };
        let letter = SignedLetter { body: "{}".to_owned(), sent: Vec::new() };
        let header = match key {
            "sdk" => hex::sign(key, b"{}"),
            key => confab_verify::sign(key, b"{}"),
        };
        verdict(&app, &letter, &header, None).verdict
    }

    #[test]
    fn the_verdict_names_the_role_of_the_matching_key() {
        assert_eq!(verdict_of(None, "current"), "current");
        assert_eq!(verdict_of(None, "second"), "staged");
        assert_eq!(verdict_of(Some(Timestamp(1)), "second"), "other");
        assert_eq!(verdict_of(None, "sdk"), "other");
        assert_eq!(verdict_of(None, "third"), "none");
    }
}
