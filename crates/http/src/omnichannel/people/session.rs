//! Sign-in of the dashboard's pages, with a cookie that scripts cannot read (D-0111).
//!
//! - `POST /api/v2/sign_in`, `POST /api/v2/sign_out`
//! - `GET` and `PATCH /api/v2/me` (design/pages)

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use confab_app::actions::{self, SignedIn};
use confab_app::credentials::known_devices;
use confab_app::services::Services;
use confab_app::{clock, ids};
use confab_domain::app::App;
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_wire::omnichannel_api::people::me::{
    ChangeMeFields, Me, MyApp, MyUser, OpenSession, OpenSessionFields, SessionProof, ThisServer,
    read_change_of_me, rights,
};
use confab_wire::omnichannel_api::people::signing_in::Done;
use confab_wire::webhook_api::Data;

use crate::omnichannel::people::settings::AppSettings;
use crate::omnichannel::people::sign_in::end_sign_in;
use crate::requests::bodies::{OmnichannelBody, WebhookDepth};
use crate::requests::callers::AgentCaller;
use crate::requests::cookie;
use crate::requests::peer::ClientPeer;
use crate::responses::answer::{Answer, data};
use crate::responses::problem::Problem;

#[utoipa::path(
    post,
    path = "/api/v2/sign_in",
    operation_id = "open_session",
    tag = "Dashboard",
    summary = "Sign in with a cookie that scripts cannot read",
    params(("x-confab" = String, Header, description = "Always 1", example = "1")),
    request_body = OpenSessionFields,
    responses((status = 200, description = "Done", body = Data<Me<'static>>)),
)]
pub(crate) async fn open(
    State(services): State<Services>,
    ClientPeer(peer): ClientPeer,
    headers: HeaderMap,
    body: OmnichannelBody,
) -> Answer {
    // Else a form on another site could sign a visitor in to an account of that site's owner.
    if !cookie::is_own_page(&headers, services.config()) {
        let message = "Send the header x-confab: 1; POST /api/v1/auth gives a token instead.";
        return Err(Problem::new(StatusCode::BAD_REQUEST, "bad_request", message));
    }
    let OpenSession { proof, is_kept } = OpenSession::read(body.fields())?;
    let SignedIn { app, agent, token } = match proof {
        SessionProof::Password { email, password } => {
            let devices = cookie::device_proofs(&headers, services.config());
            actions::sign_in(&services, &email, password, None, peer, &devices).await?
        }
        SessionProof::Code(code) => actions::sign_in_by_code(&services, &code).await?,
    };
    let (id, now) = (agent.profile.user.id, clock::now());
    let device = known_devices::new_proof(&app, id, &ids::secret(), now);
    let answer = me(&services, &app, &agent).await?;
    let answer = with_cookie(answer, cookie::keeping(&token, is_kept, services.config()));
    Ok(with_cookie(answer, cookie::keeping_device(&device, services.config())))
}

#[utoipa::path(
    post,
    path = "/api/v2/sign_out",
    operation_id = "close_session",
    tag = "Dashboard",
    summary = "Sign out: the cookie is invalidated, and the logout webhook is sent",
    responses((status = 200, description = "Done", body = Data<Done>)),
)]
pub(crate) async fn close(
    State(services): State<Services>,
    caller: AgentCaller,
    depth: WebhookDepth,
) -> Answer {
    end_sign_in(&services, caller, depth).await?;
    let answer = data(Done { message: "You are signed out." })?;
    Ok(with_cookie(answer, cookie::ending(services.config())))
}

#[utoipa::path(
    get,
    path = "/api/v2/me",
    operation_id = "me",
    tag = "Dashboard",
    summary = "Get the signed-in agent, their permissions, their app and this server",
    responses((status = 200, description = "Done", body = Data<Me<'static>>)),
)]
pub(crate) async fn load(State(services): State<Services>, caller: AgentCaller) -> Answer {
    me(&services, &caller.app, &caller.agent).await
}

#[utoipa::path(
    patch,
    path = "/api/v2/me",
    operation_id = "change_me",
    tag = "Dashboard",
    summary = "Change your own name, picture and dashboard preferences",
    request_body = ChangeMeFields,
    responses((status = 200, description = "Done", body = Data<Me<'static>>)),
)]
pub(crate) async fn change(
    State(services): State<Services>,
    caller: AgentCaller,
    body: OmnichannelBody,
) -> Answer {
    let (edit, by) = (read_change_of_me(body.fields())?, caller.right()?);
    let (app, user) = (&caller.app, caller.agent.profile.user.id);
    actions::update_agent(&services, app, Some(by), user, edit, None).await?;
    let found = services.store().signed_in(&caller.token_hash, clock::now()).await?;
    me(&services, app, &found.ok_or(Refusal::SignedOut)?).await
}

async fn me(services: &Services, app: &Arc<App>, agent: &AgentRecord) -> Answer {
    let set = AppSettings::load(services, app).await?;
    let pages = services.store().page_settings(agent.profile.user.id).await?;
    let config = services.config();
    let server = ThisServer {
        brand: config.brands.first().map_or("", String::as_str),
        version: env!("CARGO_PKG_VERSION"),
        public_url: &config.public_url,
        upload_max_bytes: config.upload_max_bytes,
        upload_types: &config.upload_types,
        time_ms: clock::now().0 / 1000,
    };
    let kept = services.store().agent_by_email(&agent.profile.user.email).await?;
    let has_password = kept.is_some_and(|(_, hash)| !hash.is_empty());
    let (user, app) = (MyUser::new(agent, has_password, &pages), MyApp::new(set.shown(app, false)));
    data(Me { user, app, server, may: rights(agent.profile.user.role) })
}

fn with_cookie(mut answer: Response, cookie: Option<HeaderValue>) -> Response {
    if let Some(cookie) = cookie {
        answer.headers_mut().append(header::SET_COOKIE, cookie);
    }
    answer
}
