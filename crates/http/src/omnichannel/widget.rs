//! Calls of the widget on behalf of a visitor (wire facts 5.5).

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use confab_app::actions::{self, OpenedChat};
use confab_app::services::Services;
use confab_domain::channels::channel::Channel;
use confab_domain::people::user::{Realm, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::support::settings::{Settings, VisitorProof};
use confab_domain::webhooks::event::ChannelSummary;
use confab_runtime::admission::peer::Peer;
use confab_wire::body::Body;
use confab_wire::omnichannel_api::channels::{
    InitiateChat, InitiateChatFields, InitiatedChat, InitiatedParts, InitiatedV1, SessionShape,
    initiated, initiated_v1, session,
};
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::requests::bodies::OmnichannelBody;
use crate::requests::brands::Brand;
use crate::requests::callers::{NamedApp, PathApp, UnprovenRequest};
use crate::requests::page_origin::PageOrigin;
use crate::requests::peer::ClientPeer;
use crate::requests::quotas;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

calls! {
    "Channels";
    /// Open the widget as a customer
    ///
    /// The app's setting `visitor_proof` determines the additional proof.
    POST "/api/v2/{brand}/initiate_chat" initiate_chat = initiate_chat [401 403 404 409 429];
    /// Open the widget as a customer; older path with a shorter response
    ///
    /// The app's setting `visitor_proof` determines the additional proof.
    POST "/api/v1/{brand}/initiate_chat"
        initiate_chat_v1 = initiate_chat_v1 [401 403 404 409 429];
    /// Get whether a resolved customer who writes again gets a new room
    GET "/{app_code}/get_session" get_session = load_session [404 429];
}

async fn initiate_chat(
    State(services): State<Services>,
    arrived: UnprovenRequest,
    Extension(brand): Extension<Brand>,
    ClientPeer(peer): ClientPeer,
    origin: PageOrigin,
    body: OmnichannelBody<InitiateChatFields>,
) -> Answer<Data<InitiatedChat<'static>>> {
    let chat = WidgetChat::open(&services, &brand, arrived, (peer, origin), body.fields()).await?;
    data(initiated(&chat.parts()))
}

async fn initiate_chat_v1(
    State(services): State<Services>,
    arrived: UnprovenRequest,
    Extension(brand): Extension<Brand>,
    ClientPeer(peer): ClientPeer,
    origin: PageOrigin,
    body: OmnichannelBody<InitiateChatFields>,
) -> Answer<Data<InitiatedV1<'static>>> {
    let chat = WidgetChat::open(&services, &brand, arrived, (peer, origin), body.fields()).await?;
    data(initiated_v1(&chat.parts()))
}

/// An opened widget chat. No `Debug`: it contains secrets.
struct WidgetChat {
    opened: OpenedChat,
    channel: ChannelSummary,
    settings: Settings,
}

impl WidgetChat {
    async fn open(
        services: &Services,
        brand: &Brand,
        arrived: UnprovenRequest,
        (peer, origin): (Peer, PageOrigin),
        body: &Body<'_>,
    ) -> Result<Self, Problem> {
        let read = InitiateChat::read(body, &brand.0)?;
        let InitiateChat { app, shown, channel, visitor } = read;
        let named = NamedApp::find(Some(app.as_str()), arrived, services.decisions()).await?;
        let _running = named.count(services)?;
        let by = named.principal().ok_or_else(unknown_app)?;
        let app = &by.app;
        let settings = services.store().settings(app.id).await?;
        origin.check(services, &settings)?;
        let widget = actions::widget_channel(services.decisions(), &by).await?;
        if let Some(channel) = channel.filter(|channel| *channel != widget.id) {
            return Err(Refusal::ChannelNotFound(channel.0).into());
        }
        check_open(&widget)?;
        let user_id_of = UserRef::Of(Realm::Channel(widget.id), visitor.user_id.clone());
        if quotas::count_newcomer(services, app.id, &user_id_of, peer).await? {
            services.admission().quotas.count_room(app.id, None)?;
        }
        let opened = actions::open_chat(services.decisions(), &by, &widget, visitor, shown).await?;
        Ok(Self { opened, channel: widget.shown(&brand.0), settings })
    }

    fn parts(&self) -> InitiatedParts<'_> {
        let OpenedChat { greeted, identity_token, visitor_secret } = &self.opened;
        InitiatedParts {
            room: &greeted.customer_room,
            channel: &self.channel,
            customer: &greeted.customer,
            identity_token,
            visitor_secret: visitor_secret.as_deref(),
            is_secure: self.settings.visitor_proof() != VisitorProof::None,
            is_sessional: self.settings.is_on(Settings::IS_SESSIONAL),
        }
    }
}

async fn load_session(
    State(services): State<Services>,
    PathApp(named): PathApp,
) -> Answer<Data<SessionShape>> {
    let _running = named.count(&services)?;
    let Some(app) = named.app() else { return Err(unknown_app()) };
    let settings = services.store().settings(app.id).await?;
    data(session(settings.is_on(Settings::IS_SESSIONAL)))
}

fn check_open(widget: &Channel) -> Result<(), Problem> {
    if widget.is_active { Ok(()) } else { Err(Refusal::ChannelOff(widget.name.clone()).into()) }
}

/// Returns the error for an app code that no app has.
pub(super) fn unknown_app() -> Problem {
    let message = "There is no app with this code.";
    Problem::new(StatusCode::NOT_FOUND, "app_not_found", message)
}
