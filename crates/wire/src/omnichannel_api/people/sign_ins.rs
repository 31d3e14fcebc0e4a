//! An agent's sign-ins, and links that sign an agent in once (design/sign-in-and-limits).

use confab_domain::agents::account::SignInView;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::time::to_the_second;

/// Response data with the sign-ins of an agent.
#[derive(Serialize, ToSchema)]
pub struct SignInList<'a> {
    sign_ins: Vec<SignInShape<'a>>,
}

/// A sign-in of an agent.
#[derive(Serialize, ToSchema)]
#[schema(as = SignInEntry)]
struct SignInShape<'a> {
    id: String,
    #[schema(example = "2026-01-31T10:00:00Z")]
    created_at: String,
    /// Time of the last request with this sign-in, accurate to a few minutes.
    #[schema(example = "2026-01-31T10:00:00Z")]
    seen_at: String,
    /// Browser and operating system; null if unknown.
    #[schema(example = "Firefox on Linux")]
    browser: Option<&'a str>,
    /// IP address of the client; only the network part of an IPv6 address.
    #[schema(example = "203.0.113.7")]
    address: Option<&'a str>,
    /// Whether the request was made with this sign-in.
    is_current: bool,
}

/// Returns the sign-ins of an agent. `current` is the hash of the caller's token.
pub fn sign_in_list<'a>(all: &'a [SignInView], current: Option<&str>) -> SignInList<'a> {
    let shape = |it: &'a SignInView| SignInShape {
        id: it.id.to_string(),
        created_at: to_the_second(it.created_at),
        seen_at: to_the_second(it.seen_at),
        browser: it.browser.as_deref(),
        address: it.address.as_deref(),
        is_current: current == Some(it.hash.as_str()),
    };
    SignInList { sign_ins: all.iter().map(shape).collect() }
}

/// A link that signs an agent in once. No `Debug`, because it is secret.
#[derive(Serialize, ToSchema)]
pub struct SignInLink {
    #[schema(example = "https://chat.example.com/dashboard/sign-in#the-code")]
    link: String,
    #[schema(example = "2026-02-01T10:00:00Z")]
    expires_at: String,
}

impl SignInLink {
    pub fn new(link: String, until: Timestamp) -> Self {
        Self { link, expires_at: to_the_second(until) }
    }
}
