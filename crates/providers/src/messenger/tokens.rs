//! Renewal of Instagram login tokens, which are valid for 60 days and can be renewed once they are
//! a day old.

use crate::credentials::{Credentials, Secret};
use crate::json_lookup;
use crate::meta::ACCESS_TOKEN;
use crate::step::{Method, Purpose, Step, TOKEN};

/// Returns the request for a new token. Instagram requires the old token in the URL.
pub fn refresh_token(credentials: &Credentials) -> Step {
    let path = format!("/refresh_access_token?grant_type=ig_refresh_token&access_token={TOKEN}");
    let step = Step::new(Purpose::SetUp, Method::Get, path);
    step.with_token(credentials.secret(ACCESS_TOKEN))
}

/// Parses the response to `refresh_token`: the new token, and its lifetime in seconds.
pub fn read_refreshed(body: &[u8]) -> Option<(Secret, u64)> {
    let answer = json_lookup::parsed(body).ok()?;
    let token = json_lookup::text(&answer["access_token"])?;
    Some((Secret::new(token), json_lookup::size(&answer["expires_in"])?))
}
