//! The only place that makes random bytes: keys, tokens, unique ids.

use confab_domain::app::{App, AppCode};
use confab_domain::rooms::room::{Pair, RoomUniqueId};
use sha2::{Digest, Sha256};

/// A secret of 256 random bits.
pub(crate) fn secret() -> String {
    hex(&random::<32>())
}

/// A key that seals secrets (D-0086).
pub(crate) fn key() -> [u8; 32] {
    random()
}

/// What no two sealed texts may share.
pub(crate) fn nonce() -> [u8; 12] {
    random()
}

/// What the styles of one visit of a page carry.
pub(crate) fn page_nonce() -> String {
    hex(&random::<16>())
}

/// A password for people to type: 100 random bits, without letters that look alike.
pub(crate) fn password() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    random::<20>().iter().map(|byte| LETTERS[usize::from(byte & 31)] as char).collect()
}

/// The public name of a new app.
pub(crate) fn app_code() -> AppCode {
    let code = format!("app-{}", hex(&random::<6>()));
    AppCode::parse(&code).expect("letters, digits and a hyphen")
}

/// The unique id of a room whose client gave none.
pub(crate) fn room_unique_id() -> RoomUniqueId {
    RoomUniqueId::from_trusted(format!("room-{}", hex(&random::<12>())))
}

/// The unique id of the single room of two users: always the same for the same two (D-0018).
pub(crate) fn pair_unique_id(pair: &Pair) -> RoomUniqueId {
    let digest = Sha256::digest(pair.seed());
    RoomUniqueId::from_trusted(format!("single-{}", hex(&digest[..16])))
}

/// The first part of this process's request ids.
pub(crate) fn process_tag() -> String {
    hex(&random::<4>())
}

/// What is kept of a sign-in's token.
pub(crate) fn token_hash(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

/// The name of this process among those that share deliveries.
pub(crate) fn sender() -> String {
    hex(&random::<16>())
}

/// The name of this process among those that tell each other who looks at what.
pub(crate) fn viewers_node() -> u64 {
    u64::from_be_bytes(random())
}

/// The name of this process among those that tell each other what happened.
pub(crate) fn bus_sender() -> [u8; 16] {
    random()
}

/// What nodes of one installation share and others do not have: made of its first app, which never
/// changes (D-0040).
pub(crate) fn installation(first: &App) -> String {
    let digest = Sha256::digest(format!("{}:{}", first.id.0, first.code.as_str()));
    hex(&digest[..16])
}

/// A trace's.
pub(crate) fn trace() -> [u8; 16] {
    random()
}

/// A span's.
pub(crate) fn span() -> [u8; 8] {
    random()
}

/// Spreads attempts of deliveries.
pub(crate) fn jitter() -> confab_domain::webhooks::retry_schedule::Jitter {
    confab_domain::webhooks::retry_schedule::Jitter(u16::from_le_bytes(random()))
}

/// When somebody comes back whom a server that stops has sent away: not all in the same moment.
pub(crate) fn come_back_ms() -> u64 {
    const SOONEST: u64 = 500;
    const SPREAD: u64 = 3_000;
    SOONEST + u64::from(u16::from_le_bytes(random())) * SPREAD / u64::from(u16::MAX)
}

fn random<const BYTES: usize>() -> [u8; BYTES] {
    rand::random()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use confab_domain::people::user::UserId;

    use super::*;

    #[test]
    fn a_pair_has_one_room_and_another_pair_another() {
        let user = |id: &str| UserId::parse("user_id", id).expect("valid");
        let pair = |a: &str, b: &str| pair_unique_id(&Pair::new(user(a), user(b)).expect("two"));
        assert_eq!(pair("ana", "bob"), pair("bob", "ana"));
        assert_ne!(pair("ana", "bob"), pair("an", "abob"));
    }

    #[test]
    fn secrets_are_long_and_never_the_same() {
        assert_eq!(secret().len(), 64);
        assert_ne!(secret(), secret());
        assert_eq!(password().len(), 20);
    }
}
