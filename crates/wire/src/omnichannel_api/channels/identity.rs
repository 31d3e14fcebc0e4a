//! Nonces and identity tokens, with which a widget authenticates as its user (wire facts 4.1).

use confab_domain::app::App;
use confab_domain::people::user::User;
use confab_domain::refusal::Refusal;
use confab_domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{NonEmpty, Text};
use crate::request::request;
use crate::sdk_api::comment::NestedAvatar;
use crate::shown_extras::{ShownExtras, shown_extras};

/// A nonce: a random string that can be used once.
#[derive(Serialize, ToSchema)]
pub struct Nonce {
    /// Random string, which is valid for one use until `expired_at`.
    nonce: String,
    /// Expiry time, as Unix time in seconds.
    expired_at: i64,
}

/// Returns a response with a nonce.
pub fn nonce(nonce: String, until: Timestamp) -> Nonce {
    Nonce { nonce, expired_at: until.unix_seconds() }
}

request! {
    /// Body of `POST /auth/verify_identity_token`.
    pub struct VerifyIdentityFields as "VerifyIdentityToken" {
        /// Identity token from the response to `initiate_chat`.
        identity_token: NonEmpty<Text>, required;
    }
}

/// Parses the body of `POST /auth/verify_identity_token` and returns the identity token.
pub fn read_identity_token(body: &Body<'_>) -> Result<String, Refusal> {
    body.read().map(|fields: VerifyIdentityFields| fields.identity_token)
}

/// Response data of `POST /auth/verify_identity_token`.
#[derive(Serialize, ToSchema)]
pub struct VerifiedUser<'a> {
    /// The user whom the token identifies.
    user: IdentityUser<'a>,
}

/// A user as shown to the user's own SDK client.
#[derive(Serialize, ToSchema)]
pub struct IdentityUser<'a> {
    app: WidgetAppShape<'a>,
    avatar: NestedAvatar<'a>,
    avatar_url: &'a str,
    email: &'a str,
    #[schema(value_type = Object)]
    extras: ShownExtras<'a>,
    id: i64,
    id_str: String,
    last_comment_id: i64,
    last_comment_id_str: String,
    last_sync_event_id: i64,
    pn_android_configured: bool,
    pn_ios_configured: bool,
    #[serde(rename = "rtKey")]
    rt_key: &'static str,
    /// The user's access token.
    token: &'a str,
    username: &'a str,
}

#[derive(Serialize, ToSchema)]
#[schema(as = AppShape)]
struct WidgetAppShape<'a> {
    code: &'a str,
    id: i64,
    id_str: String,
    name: &'a str,
}

/// Returns the user of a valid identity token, with their access token. `newest` is the id of the
/// latest message in their rooms, from which the client syncs.
pub fn verified_user<'a>(
    app: &'a App,
    user: &'a User,
    token: &'a str,
    newest: i64,
    pushes_to_ios: bool,
) -> VerifiedUser<'a> {
    let (code, id, name) = (app.code.as_str(), app.id.0, app.name.as_str());
    let user = IdentityUser {
        app: WidgetAppShape { code, id, id_str: id.to_string(), name },
        avatar: NestedAvatar::new(&user.avatar_url),
        avatar_url: &user.avatar_url,
        email: user.user_id.as_str(),
        extras: shown_extras(user),
        id: user.key.0,
        id_str: user.key.to_string(),
        last_comment_id: newest,
        last_comment_id_str: newest.to_string(),
        last_sync_event_id: newest,
        pn_android_configured: false,
        pn_ios_configured: pushes_to_ios,
        rt_key: "",
        token,
        username: &user.username,
    };
    VerifiedUser { user }
}
