//! The `qismo_key`, which agent apps send with an agent's SDK token to get a dashboard token of the
//! agent (wire facts 5.7).
//!
//! The key is an HMAC over the agent's id and SDK token, with the app's secret key. It becomes
//! invalid when the SDK token is replaced, and is not stored.

use confab_domain::app::App;
use confab_domain::webhooks::event::AgentProfile;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Returns the `qismo_key` of an agent of the app.
pub fn key(app: &App, profile: &AgentProfile) -> String {
    let bytes = mac(app, profile).finalize().into_bytes();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a text is the agent's `qismo_key`. Compares in constant time.
pub(crate) fn is_key(app: &App, profile: &AgentProfile, shown: &str) -> bool {
    let byte = |at: usize| u8::from_str_radix(shown.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..shown.len()).step_by(2).map(byte).collect();
    bytes.is_some_and(|bytes| mac(app, profile).verify_slice(&bytes).is_ok())
}

fn mac(app: &App, profile: &AgentProfile) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(app.secret_key.as_bytes())
        .expect("HMAC accepts keys of any length");
    mac.update(format!("qismo_key {} ", profile.user.id).as_bytes());
    mac.update(profile.sdk_key.as_bytes());
    mac
}
