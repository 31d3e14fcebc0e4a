//! The first start: creates an app and its admin, and prints the information that a new operator
//! needs (design/operations).

use std::net::SocketAddr;

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::password::NewPassword;
use confab_domain::agents::role::Role;
use confab_domain::app::AppCode;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_runtime::config::{Config, FirstStart};
use confab_runtime::{clock, ids};
use confab_store::{NewAgentAccount, NewApp, Registry, StoreError};

use crate::credentials::passwords;
use crate::credentials::passwords::PasswordError;

/// The app and the admin that the first start created. They are printed once. No `Debug`: the
/// struct contains secrets.
pub struct CreatedApp {
    app: NewApp,
    admin_email: String,
    admin_password: String,
    /// Code of a link that signs the admin in once, in a browser.
    sign_in_code: String,
    preset: FirstStart,
}

/// Reason why the first start failed.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Preset(#[from] Refusal),
    #[error(transparent)]
    Password(#[from] PasswordError),
}

/// Creates the first app and its admin. Returns `None` if an app exists.
pub async fn first_start(
    registry: &mut Registry,
    preset: &FirstStart,
) -> Result<Option<CreatedApp>, StartError> {
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
    // Another node may have created the app first; then that node prints the keys.
    let is_made = registry.create_app(&app, Some(&admin)).await?;
    if !is_made {
        return Ok(None);
    }
    let sign_in_code = ids::secret();
    let until = clock::now().days_later(limits::SIGN_IN_CODE_DAYS);
    registry.add_sign_in_code(&admin_email, &ids::token_hash(&sign_in_code), until).await?;
    let preset = preset.clone();
    Ok(Some(CreatedApp { app, admin_email, admin_password, sign_in_code, preset }))
}

/// Returns the account of an app's first admin.
pub fn new_admin(email: &EmailAddress, password: &str) -> Result<NewAgentAccount, StartError> {
    let checked = NewPassword::parse("admin_password", password).map_err(Refusal::from)?;
    Ok(NewAgentAccount {
        email: email.as_str().to_owned(),
        name: "Admin".to_owned(),
        role: Role::Admin,
        password_hash: passwords::hash_now(&checked.into_text())?,
        sdk_key: ids::secret(),
    })
}

/// Returns a new app with the given keys; absent ones are generated.
pub fn new_app(
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

impl CreatedApp {
    /// Returns the printed text with the keys, the links, and two calls to paste. Lines have at
    /// most 80 columns, except those with links.
    pub fn greeting(&self, config: &Config, address: SocketAddr) -> String {
        let Self { app, admin_email, admin_password, sign_in_code, preset } = self;
        let base = base(config, address);
        // Keep secrets that the operator chose out of the log.
        let assigned = |secret: &str, preset: &Option<String>, variable: &str| match preset {
            Some(_) => format!("${variable}"),
            None => secret.to_owned(),
        };
        let password = match preset.admin_password {
            Some(_) => "as preset",
            None => admin_password,
        };
        let demo = match config.widget_demo {
            true => format!("  Chat demo  {base}/widget/demo#{sign_in_code}\n"),
            false => String::new(),
        };
        let brand = config.brands.first().map_or("SERVICE", String::as_str);
        format!(
            "\
This is the first start. The keys are shown only now:

  APP_ID={app_id}
  SDK_SECRET={sdk_secret}
  SECRET_KEY={secret_key}
  admin      {admin_email}, password {password}

Open a link within a day. The code at its end works once:

  Dashboard  {dashboard}
{demo}
Paste the first two keys and these calls into another terminal. They create a
user and a room:

{user}
{room}
API reference  {base}/docs
Guides         README.md and the folder docs
",
            app_id = app.code.as_str(),
            sdk_secret = assigned(&app.sdk_secret, &preset.sdk_secret, "CONFAB_SDK_SECRET"),
            secret_key = assigned(&app.secret_key, &preset.secret_key, "CONFAB_SECRET_KEY"),
            dashboard = sign_in_link(&base, sign_in_code),
            user = call(&base, brand, "login_or_register", r#"{"user_id":"ana","username":"Ana"}"#),
            room = call(
                &base,
                brand,
                "create_room",
                r#"{"room_name":"Hello","unique_id":"hello","participants":["ana"]}"#,
            ),
        )
    }
}

/// Returns a `curl` call of the message API, for a shell in which variables contain the keys.
fn call(base: &str, brand: &str, name: &str, body: &str) -> String {
    format!(
        "  curl -s {base}/api/v2.1/rest/{name} \\
    -H \"{brand}-SDK-APP-ID: $APP_ID\" -H \"{brand}-SDK-SECRET: $SDK_SECRET\" \\
    -H 'Content-Type: application/json' \\
    -d '{body}'
"
    )
}

/// Returns a link that opens the dashboard and signs the user in. The code is after `#`, which
/// browsers do not send, so no log contains it.
pub fn sign_in_link(base: &str, code: &str) -> String {
    format!("{base}/dashboard/sign-in#{code}")
}

/// Returns this server's URL for clients. With TLS this is `public_url`, because only the operator
/// knows the name on the certificate.
pub(crate) fn base(config: &Config, address: SocketAddr) -> String {
    match config.tls {
        Some(_) => config.public_url.clone(),
        None => format!("http://{}", reachable(address)),
    }
}

/// Returns an address at which clients on this machine reach the listener.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
    }
    address
}
