//! The only source of random bytes: keys, tokens, unique ids.

use confab_domain::app::{App, AppCode};
use confab_domain::rooms::room::{Pair, RoomUniqueId};
use sha2::{Digest, Sha256};

/// Generates a secret of 256 random bits.
pub fn secret() -> String {
    hex(&random::<32>())
}

/// Generates a key for the encryption of secrets in the database (D-0086).
pub(crate) fn key() -> [u8; 32] {
    random()
}

/// Generates the nonce for encrypting a secret, which must be unique per key.
pub(crate) fn nonce() -> [u8; 12] {
    random()
}

/// Generates the nonce that allows a page's inline styles, once per page view.
pub fn page_nonce() -> String {
    hex(&random::<16>())
}

/// Generates a password that people type: 100 random bits, without letters that look alike.
pub fn password() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    random::<20>().iter().map(|byte| LETTERS[usize::from(byte & 31)] as char).collect()
}

/// Generates the app id of a new app.
pub fn app_code() -> AppCode {
    let code = format!("app-{}", hex(&random::<6>()));
    AppCode::parse(&code).expect("letters, digits and a hyphen are a valid app id")
}

/// Generates the unique id of a room for which the client sent none.
pub fn room_unique_id() -> RoomUniqueId {
    RoomUniqueId::from_trusted(format!("room-{}", hex(&random::<12>())))
}

/// Returns the unique id of the direct room of two users. It depends only on the two users.
pub fn pair_unique_id(pair: &Pair) -> RoomUniqueId {
    let digest = Sha256::digest(pair.seed());
    RoomUniqueId::from_trusted(format!("single-{}", hex(&digest[..16])))
}

/// Generates a random tag of this process, with which its request ids begin.
pub fn process_tag() -> String {
    hex(&random::<4>())
}

/// Returns the hash under which a token, code or account name is stored instead of itself.
pub fn token_hash(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

/// Generates the id with which this process leases deliveries.
pub fn sender() -> String {
    hex(&random::<16>())
}

/// Generates the id of this process in the viewers that nodes send to each other.
pub fn viewers_node() -> u64 {
    u64::from_be_bytes(random())
}

/// Generates the id of this process as a sender on the event bus.
pub fn bus_sender() -> [u8; 16] {
    random()
}

/// Returns the id that all nodes of an installation share, derived from its first app, which never
/// changes (D-0040).
pub fn installation(first: &App) -> String {
    let digest = Sha256::digest(format!("{}:{}", first.id.0, first.code.as_str()));
    hex(&digest[..16])
}

/// Generates a trace id.
pub(crate) fn trace() -> [u8; 16] {
    random()
}

/// Generates a span id.
pub(crate) fn span() -> [u8; 8] {
    random()
}

/// Generates the random delay that spreads delivery attempts.
pub fn jitter() -> confab_domain::webhooks::retry_schedule::Jitter {
    confab_domain::webhooks::retry_schedule::Jitter(u16::from_le_bytes(random()))
}

/// Generates the delay in ms after which a client reconnects when a stopping server has
/// disconnected it. The delay is random, so that not all clients reconnect at once.
pub fn come_back_ms() -> u64 {
    const SOONEST: u64 = 500;
    const SPREAD: u64 = 3_000;
    SOONEST + u64::from(u16::from_le_bytes(random())) * SPREAD / u64::from(u16::MAX)
}

fn random<const BYTES: usize>() -> [u8; BYTES] {
    rand::random()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use confab_domain::people::user::UserId;

    use super::*;

    #[test]
    fn each_pair_of_users_has_its_own_room_id() {
        let user = |id: &str| UserId::parse("user_id", id).expect("valid");
        let pair = |a: &str, b: &str| pair_unique_id(&Pair::new(user(a), user(b)).expect("two"));
        assert_eq!(pair("ana", "bob"), pair("bob", "ana"));
        assert_ne!(pair("ana", "bob"), pair("an", "abob"));
    }

    #[test]
    fn secrets_are_long_and_unique() {
        assert_eq!(secret().len(), 64);
        assert_ne!(secret(), secret());
        assert_eq!(password().len(), 20);
    }
}
