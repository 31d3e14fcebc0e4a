//! The calls for provider channels. They are the same for every kind except for the fields of the
//! account: `provider_calls!` generates the handlers of one kind.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use confab_app::actions::{self, ProviderRefused};
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::connecting_providers::{ChangeProviderChannel, DisconnectProvider};
use confab_domain::channels::forwarding::FORWARD_URL;
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::decision::rule::Rule;
use confab_domain::field_problem::FieldProblem;
use confab_domain::ids::{AppId, ChannelId};
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::auto_reply::AutoReplies;
use confab_domain::support::automation::auto_replying::SetChannelReplies;
use confab_wire::body::Body;
use confab_wire::omnichannel_api::channels::provider_channels::{
    ProviderChannelInput, read_service_page,
};
use confab_wire::omnichannel_api::channels::{AnyRecord, service_box, service_page};

use crate::omnichannel::channels::channel_of_path;
use crate::omnichannel::providers::provider_accounts::{Accounts, record};
use crate::requests::bodies::{OmnichannelBody, RequestQuery};
use crate::requests::callers::OmnichannelCaller;
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
    caller: OmnichannelCaller,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let ProviderChannelInput { name, account, auto_replies, .. } = read(body.fields())?;
    check_forward(&services, &account)?;
    let is_made = account.secret(VERIFY_TOKEN).is_empty();
    let channel =
        actions::connect_provider(&services, &caller.app, kind, name, account, by).await?;
    set_replies(&services, &caller, channel.id, auto_replies).await?;
    shown(&services, &channel, is_made).await
}

pub(crate) async fn change(
    kind: ChannelKind,
    read: ReadWanted,
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
    body: OmnichannelBody,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let before = found(&services, caller.app.id, &id, Some(kind)).await?;
    let ProviderChannelInput { name, is_active, account, auto_replies } = read(body.fields())?;
    check_forward(&services, &account)?;
    let change =
        ChangeProviderChannel { channel: before.id, name, is_active, account, forward: None };
    let channel = actions::replace_secrets(&services, &caller.app, &before, change, by).await?;
    set_replies(&services, &caller, channel.id, auto_replies).await?;
    shown(&services, &channel, false).await
}

/// Deletes a channel. Answers with the deleted channel and its former account.
pub(crate) async fn delete(
    kind: ChannelKind,
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer {
    let by = caller.must_be(&[Role::Admin])?;
    let channel = found(&services, caller.app.id, &id, Some(kind)).await?;
    let account = services.store().service_account(channel.id).await?;
    let rule = DisconnectProvider { channel: channel.id }.on_right(by);
    let gone = services.decide(&caller.app, rule).await?;
    services.wake_channels();
    data(service_box(kind, record(&services, &gone, &account)))
}

pub(crate) async fn load(
    kind: ChannelKind,
    State(services): State<Services>,
    caller: OmnichannelCaller,
    Path(id): Path<String>,
) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let channel = found(&services, caller.app.id, &id, Some(kind)).await?;
    shown(&services, &channel, false).await
}

pub(crate) async fn list(
    kind: ChannelKind,
    State(services): State<Services>,
    caller: OmnichannelCaller,
    query: RequestQuery,
) -> Answer {
    caller.must_be(&[Role::Admin])?;
    let wanted = read_service_page(&query.fields()?)?;
    let channels = services.store().channels(caller.app.id).await?;
    let accounts = Accounts::load(&services, &channels).await?;
    let records = accounts.all(&services).into_iter().filter(|(its, _)| *its == kind);
    paged(service_page(kind, records.map(|(_, record)| record).collect(), wanted))
}

/// Finds the app's provider channel with the id in a path. If `kind` is given, only a channel of
/// this kind is found.
pub(crate) async fn found(
    services: &Services,
    app: AppId,
    id: &str,
    kind: Option<ChannelKind>,
) -> Result<Channel, Problem> {
    let id = channel_of_path(id)?;
    let channel = services.store().service_channel(id).await?;
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
    caller: &OmnichannelCaller,
    channel: ChannelId,
    auto_replies: Option<AutoReplies>,
) -> Result<(), Problem> {
    let Some(auto_replies) = auto_replies else { return Ok(()) };
    let by = caller.must_be(&[Role::Admin])?;
    let rule = SetChannelReplies { channel, auto_replies };
    services.decide(&caller.app, rule.on_right(by)).await?;
    Ok(())
}

async fn shown(services: &Services, channel: &Channel, tells_token: bool) -> Answer {
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

/// Generates the handlers of one kind, with their documentation.
macro_rules! provider_calls {
    (
        $kind:ident as $box:ident, $list:ident;
        connect $connect:tt, $connect_id:tt, $connect_summary:tt, $connect_fields:ident, $new:ident;
        change $change:tt, $change_id:tt, $change_summary:tt, $change_fields:ident, $read:ident;
        delete $delete:tt, $delete_id:tt, $delete_summary:tt;
        load $load:tt, $load_id:tt, $load_summary:tt;
        list $listed:tt, $list_id:tt, $list_summary:tt;
    ) => {
        const KIND: ChannelKind = ChannelKind::$kind;

        #[utoipa::path(
            post,
            path = $connect,
            operation_id = $connect_id,
            tag = "Channels",
            summary = $connect_summary,
            request_body = $connect_fields,
            responses((status = 200, description = "Done; a generated token is shown only once",
                body = Data<$box<'static>>)),
        )]
        pub(crate) async fn connect(
            services: State<Services>,
            caller: OmnichannelCaller,
            body: OmnichannelBody,
        ) -> Answer {
            provider_calls::connect(KIND, $new, services, caller, body).await
        }

        #[utoipa::path(
            post,
            path = $change,
            operation_id = $change_id,
            tag = "Channels",
            summary = $change_summary,
            params(("id" = i64, Path, description = "Channel id")),
            request_body = $change_fields,
            responses((status = 200, description = "Done", body = Data<$box<'static>>)),
        )]
        pub(crate) async fn change(
            services: State<Services>,
            caller: OmnichannelCaller,
            id: Path<String>,
            body: OmnichannelBody,
        ) -> Answer {
            provider_calls::change(KIND, $read, services, caller, id, body).await
        }

        #[utoipa::path(
            post,
            path = $delete,
            operation_id = $delete_id,
            tag = "Channels",
            summary = $delete_summary,
            params(("id" = i64, Path, description = "Channel id")),
            responses((status = 200, description = "Done", body = Data<$box<'static>>)),
        )]
        pub(crate) async fn delete(
            services: State<Services>,
            caller: OmnichannelCaller,
            id: Path<String>,
        ) -> Answer {
            provider_calls::delete(KIND, services, caller, id).await
        }

        #[utoipa::path(
            get,
            path = $load,
            operation_id = $load_id,
            tag = "Channels",
            summary = $load_summary,
            params(("id" = i64, Path, description = "Channel id")),
            responses((status = 200, description = "Done", body = Data<$box<'static>>)),
        )]
        pub(crate) async fn load(
            services: State<Services>,
            caller: OmnichannelCaller,
            id: Path<String>,
        ) -> Answer {
            provider_calls::load(KIND, services, caller, id).await
        }

        #[utoipa::path(
            get,
            path = $listed,
            operation_id = $list_id,
            tag = "Channels",
            summary = $list_summary,
            params(ProviderListFields),
            responses((status = 200, description = "Done", body = DataPage<$list<'static>>)),
        )]
        pub(crate) async fn list(
            services: State<Services>,
            caller: OmnichannelCaller,
            query: RequestQuery,
        ) -> Answer {
            provider_calls::list(KIND, services, caller, query).await
        }
    };
}

pub(crate) use provider_calls;
