//! The calls for provider channels. They are the same for every kind except for the fields of the
//! account: `provider_calls!` declares the calls of one kind.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use confab_app::actions::{self, ProviderRefused};
use confab_app::services::Services;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::connecting_providers::{ChangeProviderChannel, DisconnectProvider};
use confab_domain::channels::forwarding::FORWARD_URL;
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::decision::principal::Principal;
use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{AppId, ChannelId};
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::auto_reply::AutoReplies;
use confab_domain::support::automation::auto_replying::SetChannelReplies;
use confab_store::Store;
use confab_wire::body::Body;
use confab_wire::omnichannel_api::channels::provider_channels::{
    ProviderChannelInput, read_service_page,
};
use confab_wire::omnichannel_api::channels::{
    AnyRecord, ProviderBox, ProviderList, service_box, service_page,
};
use confab_wire::omnichannel_api::support::DataPage;
use confab_wire::webhook_api::Data;

use crate::omnichannel::channels::channel_of_path;
use crate::omnichannel::providers::provider_accounts::{Accounts, record};
use crate::requests::access::Admins;
use crate::requests::callers::By;
use crate::requests::targets;
use crate::responses::answer::{Answer, data, paged};
use crate::responses::problem::Problem;

/// Function that parses the fields of a kind's account from a request body.
type ReadWanted = fn(&Body<'_>) -> Result<ProviderChannelInput, Refusal>;

/// Name of the token that Meta sends to verify a webhook's URL.
const VERIFY_TOKEN: &str = "verify_token";

/// Connects a provider account as a channel. If the server generated the verify token, which an
/// admin must enter at the provider, only this response contains it.
pub(crate) async fn connect(
    kind: ChannelKind,
    read: ReadWanted,
    State(services): State<Services>,
    caller: By<Admins>,
    body: &Body<'_>,
) -> Answer<Data<ProviderBox<'static>>> {
    let ProviderChannelInput { name, account, auto_replies, .. } = read(body)?;
    check_forward(&services, &account)?;
    let is_made = account.secret(VERIFY_TOKEN).is_empty();
    let channel = actions::connect_provider(&services, &caller, kind, name, account).await?;
    set_replies(&services, &caller, channel.id, auto_replies).await?;
    shown(&services, &channel, is_made).await
}

pub(crate) async fn change(
    kind: ChannelKind,
    read: ReadWanted,
    State(services): State<Services>,
    caller: By<Admins>,
    Path(id): Path<String>,
    body: &Body<'_>,
) -> Answer<Data<ProviderBox<'static>>> {
    let before = found(services.store(), caller.app.id, &id, Some(kind)).await?;
    let ProviderChannelInput { name, is_active, account, auto_replies } = read(body)?;
    check_forward(&services, &account)?;
    let change =
        ChangeProviderChannel { channel: before.id, name, is_active, account, forward: None };
    let channel = actions::replace_secrets(&services, &caller, &before, change).await?;
    set_replies(&services, &caller, channel.id, auto_replies).await?;
    shown(&services, &channel, false).await
}

/// Deletes a channel. Answers with the deleted channel and its former account.
pub(crate) async fn delete(
    kind: ChannelKind,
    State(services): State<Services>,
    caller: By<Admins>,
    Path(id): Path<String>,
) -> Answer<Data<ProviderBox<'static>>> {
    let channel = found(services.store(), caller.app.id, &id, Some(kind)).await?;
    let account = services.store().service_account(channel.id).await?;
    let rule = DisconnectProvider { channel: channel.id };
    let gone = services.decisions().decide(&caller, rule).await?;
    services.channels().wake();
    data(service_box(kind, record(&services, &gone, &account)))
}

pub(crate) async fn load(
    kind: ChannelKind,
    State(services): State<Services>,
    caller: By<Admins>,
    Path(id): Path<String>,
) -> Answer<Data<ProviderBox<'static>>> {
    let channel = found(services.store(), caller.app.id, &id, Some(kind)).await?;
    shown(&services, &channel, false).await
}

pub(crate) async fn list(
    kind: ChannelKind,
    State(services): State<Services>,
    caller: By<Admins>,
    query: Body<'_>,
) -> Answer<DataPage<ProviderList<'static>>> {
    let wanted = read_service_page(&query)?;
    let channels = services.store().channels(caller.app.id).await?;
    let accounts = Accounts::load(services.store(), &channels).await?;
    let records = accounts.all(&services).into_iter().filter(|(its, _)| *its == kind);
    paged(service_page(kind, records.map(|(_, record)| record).collect(), wanted))
}

/// Finds the app's provider channel with the id in a path. If `kind` is given, only a channel of
/// this kind is found.
pub(crate) async fn found(
    store: &Store,
    app: AppId,
    id: &str,
    kind: Option<ChannelKind>,
) -> Result<Channel, Problem> {
    let id = channel_of_path(id)?;
    let channel = store.service_channel(id).await?;
    let is_it = |it: &Channel| it.app == app && kind.is_none_or(|kind| it.kind == kind);
    channel.filter(is_it).ok_or_else(|| Refusal::ChannelNotFound(id.0).into())
}

/// Fails if webhooks must not be sent to the account's forwarding URL.
fn check_forward(services: &Services, account: &ProviderAccount) -> Result<(), Refusal> {
    match account.setting(FORWARD_URL) {
        "" => Ok(()),
        url => targets::check(services, FORWARD_URL, url),
    }
}

async fn set_replies(
    services: &Services,
    by: &Principal,
    channel: ChannelId,
    auto_replies: Option<AutoReplies>,
) -> Result<(), Problem> {
    let Some(auto_replies) = auto_replies else { return Ok(()) };
    let rule = SetChannelReplies { channel, auto_replies };
    services.decisions().decide(by, rule).await?;
    Ok(())
}

async fn shown(
    services: &Services,
    channel: &Channel,
    tells_token: bool,
) -> Answer<Data<ProviderBox<'static>>> {
    let account = services.store().service_account(channel.id).await?;
    let token = account.secret(VERIFY_TOKEN);
    let record = match record(services, channel, &account) {
        AnyRecord::Whatsapp(it) if tells_token => {
            AnyRecord::Whatsapp(Box::new(it.with_verify_token(token)))
        }
        AnyRecord::Messenger(it) if tells_token => {
            AnyRecord::Messenger(Box::new(it.with_verify_token(token)))
        }
        AnyRecord::Instagram(it) if tells_token => {
            AnyRecord::Instagram(Box::new(it.with_verify_token(token)))
        }
        record => record,
    };
    data(service_box(channel.kind, record))
}

impl From<ProviderRefused> for Problem {
    fn from(refused: ProviderRefused) -> Self {
        match refused {
            ProviderRefused::Unauthorized { field, why } => {
                Refusal::from(FieldProblem::new(field, format!("is not valid: {why}"))).into()
            }
            ProviderRefused::Unreachable(why) => {
                let status = StatusCode::SERVICE_UNAVAILABLE;
                Self::new(status, "service_unreachable", why).retry_after(30)
            }
            ProviderRefused::Write(error) => error.into(),
        }
    }
}

/// Declares the calls of one kind, with their handlers.
macro_rules! provider_calls {
    (
        $kind:ident as $box:ident, $list:ident;
        connect $connect:literal, $connect_id:ident, $connect_text:literal, $new_fields:ident,
            $new:ident;
        change $change:literal, $change_id:ident, $change_text:literal, $fields:ident, $read:ident;
        delete $delete:literal, $delete_id:ident, $delete_text:literal;
        load $load:literal, $load_id:ident, $load_text:literal;
        list $listed:literal, $list_id:ident, $list_text:literal;
    ) => {
        calls! {
            "Channels";
            #[doc = $connect_text]
            POST $connect $connect_id = connect [403 409];
            #[doc = $change_text]
            POST $change $change_id = change [403 404 409];
            #[doc = $delete_text]
            POST $delete $delete_id = delete [403 404];
            #[doc = $load_text]
            GET $load $load_id = load [403 404];
            #[doc = $list_text]
            GET $listed $list_id = list [403];
        }

        const KIND: ChannelKind = ChannelKind::$kind;

        async fn connect(
            services: State<Services>,
            caller: By<Admins>,
            body: OmnichannelBody<$new_fields>,
        ) -> Answer<Data<$box<'static>>> {
            provider_calls::connect(KIND, $new, services, caller, body.fields())
                .await
                .map(Reply::documented_as)
        }

        async fn change(
            services: State<Services>,
            caller: By<Admins>,
            id: Path<String>,
            body: OmnichannelBody<$fields>,
        ) -> Answer<Data<$box<'static>>> {
            provider_calls::change(KIND, $read, services, caller, id, body.fields())
                .await
                .map(Reply::documented_as)
        }

        async fn delete(
            services: State<Services>,
            caller: By<Admins>,
            id: Path<String>,
        ) -> Answer<Data<$box<'static>>> {
            provider_calls::delete(KIND, services, caller, id).await.map(Reply::documented_as)
        }

        async fn load(
            services: State<Services>,
            caller: By<Admins>,
            id: Path<String>,
        ) -> Answer<Data<$box<'static>>> {
            provider_calls::load(KIND, services, caller, id).await.map(Reply::documented_as)
        }

        async fn list(
            services: State<Services>,
            caller: By<Admins>,
            query: RequestQuery<ProviderListFields>,
        ) -> Answer<DataPage<$list<'static>>> {
            provider_calls::list(KIND, services, caller, query.fields()?)
                .await
                .map(Reply::documented_as)
        }
    };
}

pub(crate) use provider_calls;
