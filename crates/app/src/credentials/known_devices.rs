//! Proofs that a browser has signed in to an account before (D-0069).
//!
//! The limits on failed sign-ins count a browser with such a proof separately, so that attempts by
//! others, even from the same address, do not lock out the owner. A proof grants no access: the
//! password is still required. Every node can check a proof, and none is stored.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use confab_domain::app::App;
use confab_domain::ids::AgentId;
use confab_domain::limits;
use confab_domain::time::Timestamp;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Creates a proof for a browser that signed in to this account. The proof consists of its expiry
/// in Unix seconds, the nonce and a signature.
pub fn new_proof(app: &App, agent: AgentId, nonce: &str, now: Timestamp) -> String {
    let end = now.unix_seconds() + i64::from(limits::KNOWN_DEVICE_DAYS) * 86_400;
    let signature = mac(app, agent, &end.to_string(), nonce).finalize().into_bytes();
    format!("{end}.{nonce}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// Returns the nonce of a proof if the proof is for this account and has not expired.
pub(crate) fn proven<'a>(
    proof: &'a str,
    app: &App,
    agent: AgentId,
    now: Timestamp,
) -> Option<&'a str> {
    let (end, rest) = proof.split_once('.')?;
    let (nonce, signature) = rest.split_once('.')?;
    let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
    // Compares in constant time.
    mac(app, agent, end, nonce).verify_slice(&signature).ok()?;
    (now.unix_seconds() < end.parse().ok()?).then_some(nonce)
}

fn mac(app: &App, agent: AgentId, end: &str, nonce: &str) -> Hmac<Sha256> {
    let mac = Hmac::<Sha256>::new_from_slice(app.secret_key.as_bytes());
    let mut mac = mac.expect("HMAC accepts keys of any length");
    mac.update(format!("known device {agent} {end} {nonce}").as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use confab_domain::app::AppCode;
    use confab_domain::ids::{AppId, UserKey};

    use super::*;

    const NOW: Timestamp = Timestamp(1_769_853_600_000_000);
    const ANA: AgentId = AgentId(7);

    fn app(secret_key: &str) -> App {
        App {
            id: AppId(1),
            code: AppCode::parse("shop").expect("a code"),
            name: String::new(),
            sdk_secret: "another".to_owned(),
            secret_key: secret_key.to_owned(),
            other_key: None,
            system_user: UserKey(2),
            created_at: NOW,
            has_chat_message_webhook: false,
            shows_sender_extras: false,
        }
    }

    #[test]
    fn a_device_proof_is_valid_for_its_account_and_app_until_it_expires() {
        let proof = new_proof(&app("key"), ANA, "nonce", NOW);
        let proven_by = |key: &str, agent, now| proven(&proof, &app(key), agent, now);
        assert_eq!(proven_by("key", ANA, NOW), Some("nonce"));
        assert_eq!(proven_by("key", AgentId(8), NOW), None, "another account");
        assert_eq!(proven_by("another key", ANA, NOW), None, "another app");
        let days = |days: u32| Timestamp(NOW.0 + i64::from(days) * 86_400_000_000);
        assert_eq!(proven_by("key", ANA, days(limits::KNOWN_DEVICE_DAYS)), None, "expired");
        assert!(proven_by("key", ANA, days(limits::KNOWN_DEVICE_DAYS - 1)).is_some());
    }

    #[test]
    fn a_modified_device_proof_is_rejected() {
        let proof = new_proof(&app("key"), ANA, "nonce", NOW);
        let later = proof.replacen("17", "27", 1);
        for wrong in ["", ".", "..", "1.nonce.", &proof[1..], &later, "é.é.é"] {
            assert_eq!(proven(wrong, &app("key"), ANA, NOW), None, "{wrong}");
        }
    }
}
