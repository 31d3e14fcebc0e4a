//! Tokens of an Instagram login live 60 days. They are refreshed from their first day on, at the
//! latest 10 days before their end.

use crate::channels::credentials::{Credentials, Secret};
use crate::channels::json_lookup;
use crate::channels::meta::ACCESS_TOKEN;
use crate::channels::step::{Method, Purpose, Step, TOKEN};

/// Asks for a newer token. Instagram wants the old one in the address.
pub fn refresh_token(credentials: &Credentials) -> Step {
    let path = format!("/refresh_access_token?grant_type=ig_refresh_token&access_token={TOKEN}");
    let step = Step::new(Purpose::SetUp, Method::Get, path);
    step.with_token(credentials.secret(ACCESS_TOKEN))
}

/// The newer token, and for how many seconds it is good.
pub fn read_refreshed(body: &[u8]) -> Option<(Secret, u64)> {
    let answer = json_lookup::parsed(body).ok()?;
    let token = json_lookup::text(&answer["access_token"])?;
    Some((Secret::new(token), json_lookup::size(&answer["expires_in"])?))
}
