//! Where somebody is signed in (D-0132), and links that sign in once (D-0112).

use confab_domain::agents::account::SignInView;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::time::to_the_second;

/// `{sign_ins}`
#[derive(Serialize, ToSchema)]
pub struct SignInList<'a> {
    sign_ins: Vec<SignInShape<'a>>,
}

/// One sign-in.
#[derive(Serialize, ToSchema)]
#[schema(as = SignInEntry)]
struct SignInShape<'a> {
    id: String,
    #[schema(example = "2026-01-31T10:00:00Z")]
    created_at: String,
    /// When it was last used, give or take some minutes.
    #[schema(example = "2026-01-31T10:00:00Z")]
    seen_at: String,
    /// What was signed in with; null if it cannot be told.
    #[schema(example = "Firefox on Linux")]
    browser: Option<&'a str>,
    /// From where; of IPv6 addresses only the network.
    #[schema(example = "203.0.113.7")]
    address: Option<&'a str>,
    /// Whether it is the one that this request shows.
    is_current: bool,
}

/// Where somebody is signed in; `current` is the hash of the token that who asks showed.
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

/// A link that signs somebody in once. No `Debug`.
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
