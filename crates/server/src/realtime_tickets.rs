//! Tickets for `/realtime`: what a page puts into an address instead of its user's token (D-0073).
//!
//! A ticket names its user, its end and a nonce, and is signed with the app's SDK secret over these
//! and the user's token. Every node can check it, and it is worth nothing once the token is. Its
//! nonce is in the store, which takes it once.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use confab_domain::app::App;
use confab_domain::ids::{AppId, UserKey};
use confab_domain::time::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// Bytes of a ticket that is looked at.
const BYTES_MAX: usize = 2_048;

/// A ticket that was read, and not found to be good yet. No `Debug`: it opens a connection.
#[derive(Serialize, Deserialize)]
pub(crate) struct RealtimeTicket {
    app: i64,
    user: i64,
    /// Until when it is good, in Unix seconds.
    exp: i64,
    nonce: String,
}

impl RealtimeTicket {
    /// For the user whose token this is, until then.
    pub(crate) fn new(app: &App, user: UserKey, nonce: String, until: Timestamp) -> Self {
        Self { app: app.id.0, user: user.0, exp: until.unix_seconds(), nonce }
    }

    /// As it stands in an address.
    pub(crate) fn signed(&self, app: &App, token: &str) -> String {
        let said = serde_json::to_vec(self).expect("all keys are text");
        let said = URL_SAFE_NO_PAD.encode(said);
        let mac = mac(app, &said, token).finalize().into_bytes();
        format!("{said}.{}", URL_SAFE_NO_PAD.encode(mac))
    }

    /// What a ticket says of itself; nobody vouches for it yet.
    pub(crate) fn unproven(ticket: &str) -> Option<Self> {
        let (said, _) = Some(ticket).filter(|it| it.len() <= BYTES_MAX)?.split_once('.')?;
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(said).ok()?).ok()
    }

    /// Whose it is, by its own word.
    pub(crate) fn holder(&self) -> (AppId, UserKey) {
        (AppId(self.app), UserKey(self.user))
    }

    /// The nonce of a ticket that this app signed for the user of this token, and that is good now.
    pub(crate) fn proven(ticket: &str, app: &App, token: &str, now: Timestamp) -> Option<String> {
        let (said, signature) = ticket.split_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        // In constant time.
        mac(app, said, token).verify_slice(&signature).ok()?;
        let ticket = Self::unproven(ticket)?;
        // PostgreSQL takes no text with a NUL, and no nonce of ours has one.
        let is_good = ticket.app == app.id.0 && now.unix_seconds() < ticket.exp;
        is_good.then_some(ticket.nonce).filter(|nonce| !nonce.contains('\0'))
    }
}

fn mac(app: &App, said: &str, token: &str) -> Hmac<Sha256> {
    let mac = Hmac::<Sha256>::new_from_slice(app.sdk_secret.as_bytes());
    let mut mac = mac.expect("a key of any length is taken");
    // No identity token of the same key begins so: they are signed over two parts and a dot.
    for part in ["realtime ticket\n", said, "\n", token] {
        mac.update(part.as_bytes());
    }
    mac
}

#[cfg(test)]
mod tests {
    use confab_domain::app::AppCode;

    use super::*;

    const NOW: Timestamp = Timestamp(1_769_853_600_000_000);

    fn app(id: i64, secret: &str) -> App {
        App {
            id: AppId(id),
            code: AppCode::parse("shop").expect("a code"),
            name: String::new(),
            sdk_secret: secret.to_owned(),
            secret_key: "another".to_owned(),
            other_key: None,
            system_user: UserKey(2),
            created_at: NOW,
            has_chat_message_webhook: false,
            shows_sender_extras: false,
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp(NOW.0 + seconds * 1_000_000)
    }

    #[test]
    fn a_ticket_is_good_until_its_end_for_its_user_and_app() {
        let (shop, ana) = (app(1, "secret"), UserKey(5));
        let ticket = RealtimeTicket::new(&shop, ana, "nonce".to_owned(), at(30));
        let ticket = ticket.signed(&shop, "token");
        let holder = RealtimeTicket::unproven(&ticket).map(|it| it.holder());
        assert_eq!(holder, Some((AppId(1), ana)));
        let proven = |app: &App, token: &str, seconds| {
            RealtimeTicket::proven(&ticket, app, token, at(seconds))
        };
        assert_eq!(proven(&shop, "token", 29), Some("nonce".to_owned()));
        assert_eq!(proven(&shop, "token", 30), None);
        assert_eq!(proven(&shop, "another token", 0), None);
        assert_eq!(proven(&app(1, "other"), "token", 0), None);
        assert_eq!(proven(&app(2, "secret"), "token", 0), None);
    }

    #[test]
    fn what_is_no_ticket_is_none() {
        let shop = app(1, "secret");
        let long = "x".repeat(BYTES_MAX + 1);
        for odd in ["", ".", "a.b", "e30.", "bnVsbA.AAAA", &long] {
            assert!(RealtimeTicket::unproven(odd).is_none(), "{odd}");
            assert!(RealtimeTicket::proven(odd, &shop, "token", NOW).is_none(), "{odd}");
        }
    }
}
