//! Connects provider accounts, after the provider has confirmed the credentials (design/channels).

use std::sync::Arc;
use std::time::Duration;

use confab_domain::app::App;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::connecting_providers::{ChangeProviderChannel, ConnectProvider};
use confab_domain::channels::forwarding::ForwardTarget;
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::decision::principal::Principal;
use confab_domain::ids::{AppId, ChannelId};
use confab_domain::time::Timestamp;
use confab_providers::email::MailTrouble;
use confab_providers::{AccountAtProvider, HealthState, Provider};
use confab_runtime::ids;
use confab_store::{StoreError, WriteError};
use confab_wire::omnichannel_api::channels::instagram::IG_ID;

use crate::channels::linked::LinkedChannel;
use crate::channels::mail::checking;
use crate::channels::renewing;
use crate::services::Services;

/// Time limit for the provider's answer about its account.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

/// Names of the secrets that authenticate requests to a channel's webhook: Telegram sends the
/// first, Meta the second.
const HOOK_SECRET: &str = "webhook_secret";
const VERIFY_TOKEN: &str = "verify_token";
const TOKEN: &str = "access_token";
const PAGE_ID: &str = "page_id";

/// Reason why an account was not connected.
#[derive(Debug, thiserror::Error)]
pub enum ProviderRefused {
    /// The provider rejected the credentials, with the name of the wrong field and the reason.
    #[error("{why}")]
    Unauthorized { field: &'static str, why: String },
    /// The provider did not answer, or failed for another reason than the credentials.
    #[error("{0}")]
    Unreachable(String),
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<StoreError> for ProviderRefused {
    fn from(error: StoreError) -> Self {
        Self::Write(WriteError::Failed(error))
    }
}

/// Connects a provider account as a channel of the app, if the provider confirms its credentials.
pub async fn connect_provider(
    services: &Services,
    by: &Principal,
    kind: ChannelKind,
    name: Option<String>,
    mut account: ProviderAccount,
) -> Result<Channel, ProviderRefused> {
    let hook_secret = match kind {
        ChannelKind::Telegram => Some(HOOK_SECRET),
        // LINE signs with the account's own secret; a mailbox has no webhook.
        ChannelKind::Line | ChannelKind::Email => None,
        _ => Some(VERIFY_TOKEN),
    };
    if let Some(name) = hook_secret {
        account.secrets.entry(name.to_owned()).or_insert_with(ids::secret);
    }
    let found = check_account(services, &by.app, kind, &account).await?;
    let AccountAtProvider { id, name: theirs, username } = found;
    account.settings.insert("username".to_owned(), username.clone());
    if kind == ChannelKind::Instagram {
        account.settings.insert(IG_ID.to_owned(), id.clone());
        renewing::begin(&mut account);
    }
    let address = match (username.as_str(), kind) {
        ("", _) => id.clone(),
        (name, ChannelKind::Telegram) => format!("@{name}"),
        (name, _) => name.to_owned(),
    };
    let name = name.unwrap_or(theirs);
    let rule = ConnectProvider { kind, name, address, account_id: id, account };
    let channel = services.decisions().decide(by, rule).await?;
    services.channels().wake();
    Ok(channel)
}

/// Replaces credentials or settings of a channel's provider account. New credentials must belong to
/// the same account.
pub async fn replace_secrets(
    services: &Services,
    by: &Principal,
    channel: &Channel,
    change: ChangeProviderChannel,
) -> Result<Channel, ProviderRefused> {
    let mut account = services.store().service_account(channel.id).await?;
    account.secrets.extend(change.account.secrets.clone());
    account.settings.extend(change.account.settings.clone());
    let mut change = ChangeProviderChannel { forward: ForwardTarget::of(&account), ..change };
    // New mail servers are checked like a new password.
    let moves = channel.kind == ChannelKind::Email && !change.account.settings.is_empty();
    if moves || !change.account.secrets.is_empty() {
        let found = check_account(services, &by.app, channel.kind, &account).await?;
        let key = format!("{}:{}", channel.kind.as_str(), found.id);
        if key != channel.identifier_key {
            let why =
                "This token belongs to another account. Connect that account as a new channel.";
            return Err(unauthorized(channel.kind, why));
        }
        if channel.kind == ChannelKind::Instagram && change.account.secrets.contains_key(TOKEN) {
            renewing::begin(&mut change.account);
        }
    }
    let changed = services.decisions().decide(by, change).await?;
    services.channels().wake();
    Ok(changed)
}

/// Asks the provider to which account the credentials belong.
async fn check_account(
    services: &Services,
    app: &Arc<App>,
    kind: ChannelKind,
    account: &ProviderAccount,
) -> Result<AccountAtProvider, ProviderRefused> {
    let linked = LinkedChannel::new(services, app.clone(), not_yet(app.id, kind), account.clone());
    let unknown =
        || ProviderRefused::Unreachable("Channels of this kind are not supported yet.".to_owned());
    let linked = linked.ok_or_else(unknown)?;
    if kind == ChannelKind::Email && !linked.has_mailbox() {
        may_be_handed(services, &linked).await?;
    }
    if linked.is_printed() {
        return Ok(printed(&linked));
    }
    let health = linked.check(services, None, CHECK_TIMEOUT).await;
    match (health.account, health.state) {
        // A token of a person or of another page cannot be used for this page.
        (Some(found), _) if kind == ChannelKind::Messenger && found.id != linked.account_id() => {
            let AccountAtProvider { id, name, .. } = found;
            let why = format!("The token is that of {name} ({id}), not of this page.");
            Err(ProviderRefused::Unauthorized { field: PAGE_ID, why })
        }
        (Some(account), _) => Ok(account),
        (None, HealthState::Unauthorized) => Err(unauthorized(kind, &health.why)),
        // The phone number does not belong to this token.
        (None, HealthState::Misconfigured) => Err(unauthorized(kind, &health.why)),
        (None, _) => Err(ProviderRefused::Unreachable(health.why)),
    }
}

/// Fails if the LMTP listener is enabled but must not accept mails to the channel's address for
/// this app. The check is also made for channels that print messages instead of sending them.
async fn may_be_handed(services: &Services, linked: &LinkedChannel) -> Result<(), ProviderRefused> {
    if services.config().lmtp_listen.is_none() {
        return Ok(());
    }
    checking::may_be_handed(services, linked).await.map_err(|trouble| match trouble {
        MailTrouble::Misconfigured(why) => {
            let why = format!("Mails to this address cannot be received by LMTP: {why}.");
            ProviderRefused::Unauthorized { field: "address", why }
        }
        other => ProviderRefused::Unreachable(other.health("LMTP", "no mails are received").why),
    })
}

fn unauthorized(kind: ChannelKind, why: &str) -> ProviderRefused {
    let field = match kind {
        ChannelKind::Telegram => "bot_token",
        ChannelKind::Email => "password",
        _ => "access_token",
    };
    ProviderRefused::Unauthorized { field, why: why.to_owned() }
}

/// Returns a made-up account for a channel that prints messages instead of sending them. No
/// provider is called: the id is the configured account id, or else the beginning of a secret.
fn printed(linked: &LinkedChannel) -> AccountAtProvider {
    let number = linked.account_id();
    if !number.is_empty() {
        let (id, name) = (number.to_owned(), format!("Printed {number}"));
        return AccountAtProvider { name, username: String::new(), id };
    }
    if linked.provider == Provider::Email {
        let address = linked.account.setting("address").to_owned();
        return AccountAtProvider { name: address.clone(), username: address.clone(), id: address };
    }
    let first = linked.account.secrets.iter().find(|(name, _)| *name != HOOK_SECRET);
    let id = first.map_or("", |(_, secret)| secret.split(':').next().unwrap_or_default());
    let id: String = id.chars().filter(char::is_ascii_alphanumeric).take(20).collect();
    AccountAtProvider { name: format!("Printed {id}"), username: format!("printed_{id}"), id }
}

/// Returns a placeholder for a channel that is not stored yet, with which credentials can be
/// checked.
fn not_yet(app: AppId, kind: ChannelKind) -> Channel {
    Channel {
        id: ChannelId(0),
        app,
        kind,
        name: String::new(),
        is_active: true,
        identifier_key: String::new(),
        webhook_url: None,
        logo_url: None,
        phone: String::new(),
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
        deleted_at: None,
    }
}
