//! Tickets for `/realtime`. A page puts a ticket into the URL instead of its user's token (D-0073).
//!
//! A ticket contains its user, its expiry and a nonce. It is signed with the app's SDK secret, and
//! the signature also covers the user's token. Every node can check a ticket, and it becomes
//! invalid with the token. The store accepts its nonce once.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use confab_domain::app::App;
use confab_domain::ids::{AppId, UserKey};
use confab_domain::time::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// Maximum length of a ticket in bytes. Longer tickets are rejected unread.
const BYTES_MAX: usize = 2_048;

/// A parsed ticket, whose signature may not be checked yet. No `Debug`: with a ticket, anyone can
/// open the user's connection.
#[derive(Serialize, Deserialize)]
pub struct RealtimeTicket {
    app: i64,
    user: i64,
    /// Expiry time, in Unix seconds.
    exp: i64,
    nonce: String,
}

impl RealtimeTicket {
    /// Creates a ticket for a user that expires at `until`.
    pub fn new(app: &App, user: UserKey, nonce: String, until: Timestamp) -> Self {
        Self { app: app.id.0, user: user.0, exp: until.unix_seconds(), nonce }
    }

    /// Signs the ticket and returns its text for a URL.
    pub fn signed(&self, app: &App, token: &str) -> String {
        let said = serde_json::to_vec(self).expect("JSON keys are strings");
        let said = URL_SAFE_NO_PAD.encode(said);
        let mac = mac(app, &said, token).finalize().into_bytes();
        format!("{said}.{}", URL_SAFE_NO_PAD.encode(mac))
    }

    /// Parses a ticket without checking its signature.
    pub fn unproven(ticket: &str) -> Option<Self> {
        let (said, _) = Some(ticket).filter(|it| it.len() <= BYTES_MAX)?.split_once('.')?;
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(said).ok()?).ok()
    }

    /// Returns the app and the user for whom the ticket claims to be.
    pub fn holder(&self) -> (AppId, UserKey) {
        (AppId(self.app), UserKey(self.user))
    }

    /// Checks a ticket. Returns its nonce if this app signed it for the user of this token and it
    /// has not expired.
    pub fn proven(ticket: &str, app: &App, token: &str, now: Timestamp) -> Option<String> {
        let (said, signature) = ticket.split_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        // Compares in constant time.
        mac(app, said, token).verify_slice(&signature).ok()?;
        let ticket = Self::unproven(ticket)?;
        // This server issues no nonce with a NUL, and PostgreSQL cannot store a text with one.
        let is_good = ticket.app == app.id.0 && now.unix_seconds() < ticket.exp;
        is_good.then_some(ticket.nonce).filter(|nonce| !nonce.contains('\0'))
    }
}

fn mac(app: &App, said: &str, token: &str) -> Hmac<Sha256> {
    let mac = Hmac::<Sha256>::new_from_slice(app.sdk_secret.as_bytes());
    let mut mac = mac.expect("HMAC accepts keys of any length");
    // Separates the signatures of tickets from those of identity tokens with this key, which are
    // signed over two parts and a dot.
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
    fn a_ticket_is_valid_for_its_user_and_app_until_it_expires() {
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
    fn invalid_text_is_not_parsed_as_a_ticket() {
        let shop = app(1, "secret");
        let long = "x".repeat(BYTES_MAX + 1);
        for odd in ["", ".", "a.b", "e30.", "bnVsbA.AAAA", &long] {
            assert!(RealtimeTicket::unproven(odd).is_none(), "{odd}");
            assert!(RealtimeTicket::proven(odd, &shop, "token", NOW).is_none(), "{odd}");
        }
    }
}
