//! The first start: one app, one admin, and what a newcomer needs to go on (D-0011).

use std::fmt::Write as _;
use std::net::SocketAddr;

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::password::NewPassword;
use confab_domain::agents::role::Role;
use confab_domain::app::AppCode;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_store::{NewAgentAccount, NewApp, Registry, StoreError};

use crate::config::{Config, FirstStart};
use crate::passwords::PasswordError;
use crate::{clock, ids, passwords};

/// What was made at the first start, to be shown once. No `Debug`: secrets.
pub(crate) struct Made {
    app: NewApp,
    admin_email: String,
    admin_password: String,
    /// Signs the admin in once, in a browser.
    sign_in_code: String,
    preset: FirstStart,
}

/// Why the first start failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Preset(#[from] Refusal),
    #[error(transparent)]
    Password(#[from] PasswordError),
}

/// Makes the first app and its admin, unless there is an app already.
pub(crate) async fn first_start(
    registry: &mut Registry,
    preset: &FirstStart,
) -> Result<Option<Made>, StartError> {
    if !registry.apps().await?.is_empty() {
        return Ok(None);
    }
    let code = preset.app_id.as_deref().map(AppCode::parse_new).transpose()?;
    let app = new_app(
        code.unwrap_or_else(ids::app_code),
        "My app",
        preset.sdk_secret.clone(),
        preset.secret_key.clone(),
    );
    let admin_email = preset.admin_email.as_deref().unwrap_or("admin@localhost");
    let admin_email = EmailAddress::parse("admin_email", admin_email).map_err(Refusal::from)?;
    let admin_password = preset.admin_password.clone().unwrap_or_else(ids::password);
    let admin = new_admin(&admin_email, &admin_password)?;
    let admin_email = admin_email.as_str().to_owned();
    // Somebody else may have been first; then there is nothing to show.
    let is_made = registry.create_app(&app, Some(&admin)).await?;
    if !is_made {
        return Ok(None);
    }
    let sign_in_code = ids::secret();
    let until = clock::now().days_later(limits::SIGN_IN_CODE_DAYS);
    registry.add_sign_in_code(&admin_email, &ids::token_hash(&sign_in_code), until).await?;
    let preset = preset.clone();
    Ok(Some(Made { app, admin_email, admin_password, sign_in_code, preset }))
}

/// The first who signs in to an app.
pub(crate) fn new_admin(
    email: &EmailAddress,
    password: &str,
) -> Result<NewAgentAccount, StartError> {
    let checked = NewPassword::parse("admin_password", password).map_err(Refusal::from)?;
    Ok(NewAgentAccount {
        email: email.as_str().to_owned(),
        name: "Admin".to_owned(),
        role: Role::Admin,
        password_hash: passwords::hash_now(&checked.into_text())?,
        sdk_key: ids::secret(),
    })
}

/// An app with the keys given, or new ones.
pub(crate) fn new_app(
    code: AppCode,
    name: &str,
    sdk_secret: Option<String>,
    secret_key: Option<String>,
) -> NewApp {
    NewApp {
        code,
        name: name.to_owned(),
        sdk_secret: sdk_secret.unwrap_or_else(ids::secret),
        secret_key: secret_key.unwrap_or_else(ids::secret),
        system_token: ids::secret(),
    }
}

impl Made {
    /// The secrets, and five lines to paste.
    pub(crate) fn greeting(&self, config: &Config, address: SocketAddr) -> String {
        let Self { app, admin_email, admin_password, sign_in_code, preset } = self;
        let shown = |secret: &str, preset: &Option<String>| match preset {
            Some(_) => "(as preset)".to_owned(),
            None => secret.to_owned(),
        };
        let admin_password = shown(admin_password, &preset.admin_password);
        let mut text = format!(
            "This is the first start. Keep what follows: it is shown only once.\n\n  \
             app id       {}\n  SDK secret   {}\n  secret key   {}\n  \
             admin        {admin_email}  {admin_password}\n\n\
             Open the dashboard as the admin, once and within a day, with\n\n  \
             {}\n\n{}\
             Paste these into another terminal, one after the other:\n\n",
            app.code.as_str(),
            shown(&app.sdk_secret, &preset.sdk_secret),
            shown(&app.secret_key, &preset.secret_key),
            sign_in_link(&base(config, address), sign_in_code),
            demo_words(config, &base(config, address), sign_in_code),
        );
        // Whoever preset the secret has it in a variable, and does not want it in a log.
        let sdk_secret = match preset.sdk_secret {
            Some(_) => "'\"$CONFAB_SDK_SECRET\"'",
            None => &app.sdk_secret,
        };
        for line in curl_lines(config, address, app.code.as_str(), sdk_secret) {
            let _ = writeln!(text, "{line}\n");
        }
        let _ = writeln!(text, "The API is described at {}/docs\n", base(config, address));
        text + SERVING + OPEN_DOORS
    }
}

/// Who takes customers, until it is set otherwise (D-0037).
const SERVING: &str = "\
Customers who write wait until an agent takes them: take-over is on, and POST
/api/v1/app/config/agent_takeover switches it. Built-in allocation, which assigns agents by itself,
is off; POST /api/v2/app/config/agent_allocation switches it, and it rests while an allocation
webhook is on. See docs/omnichannel.md.

";

/// Opens the dashboard and signs in. What stands behind `#` stays in the browser: it is in no log.
pub(crate) fn sign_in_link(base: &str, code: &str) -> String {
    format!("{base}/dashboard/sign-in#{code}")
}

/// Where both sides of the chat are seen, if that is anywhere. The code is good once: here, or for
/// the dashboard alone.
fn demo_words(config: &Config, base: &str, code: &str) -> String {
    match config.widget_demo {
        true => format!(
            "or see both sides of the chat on one page, a shop's customer and you, with\n\n  \
             {base}/widget/demo#{code}\n\n\
             The page stays at {base}/widget/demo\n\n"
        ),
        false => String::new(),
    }
}

/// What somebody may do who knows the app id, until it is set otherwise (D-0070).
const OPEN_DOORS: &str = "\
Before you show the widget to visitors: whoever knows a visitor's user_id (often an e-mail address)
gets that visitor's chat, because published widgets come back with nothing else. Use ids that cannot
be guessed, or set visitor_proof with POST /api/v2/app/config/security; see docs/security.md.
";

/// Two users, a room, a message, the page, the deletion.
fn curl_lines(config: &Config, address: SocketAddr, app_id: &str, sdk_secret: &str) -> [String; 5] {
    let brand = config.brands.first().map_or("SERVICE", String::as_str);
    let headers =
        format!("-H '{brand}-SDK-APP-ID: {app_id}' -H '{brand}-SDK-SECRET: {sdk_secret}'");
    let base = format!("{}/api/v2.1/rest", base(config, address));
    let call = |path: &str, rest: &str| {
        format!("curl -s {base}/{path} {headers} -H 'Content-Type: application/json' {rest}")
    };
    [
        format!(
            "for user in ana bob; do {}; done",
            call("login_or_register", r#"-d '{"user_id":"'$user'","username":"'$user'"}'"#)
        ),
        call(
            "create_room",
            r#"-d '{"room_name":"Hello","unique_id":"hello","participants":["ana","bob"]}'"#,
        ),
        call(
            "post_comment",
            r#"-d '{"user_id":"ana","room_id":"hello","message":"Hi Bob!","unique_temp_id":"hi-1"}'"#,
        ),
        format!("curl -s '{base}/load_comments?room_id=hello' {headers}"),
        call("delete_messages", r#"-X DELETE -d '{"unique_ids":["hi-1"]}'"#),
    ]
}

/// Where a client can call. A certificate is for a name, which only the operator knows.
pub(crate) fn base(config: &Config, address: SocketAddr) -> String {
    match config.tls {
        Some(_) => config.public_url.clone(),
        None => format!("http://{}", reachable(address)),
    }
}

/// An address that a client on this machine can call.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    address
}
