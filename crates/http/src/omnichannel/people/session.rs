//! Sign-in of the dashboard's pages, with a cookie that scripts cannot read (D-0111).

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use confab_app::actions::{self, SignedIn};
use confab_app::credentials::known_devices;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::refusal::Refusal;
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_runtime::{clock, ids};
use confab_wire::omnichannel_api::people::me::{
    ChangeMeFields, Me, MyApp, MyUser, OpenSession, OpenSessionFields, SessionProof, ThisServer,
    read_change_of_me, rights,
};
use confab_wire::omnichannel_api::people::signing_in::Done;
use confab_wire::webhook_api::Data;

use crate::calls::calls;
use crate::omnichannel::people::settings::AppSettings;
use crate::omnichannel::people::sign_in::end_sign_in;
use crate::requests::access::Everyone;
use crate::requests::bodies::{OmnichannelBody, WebhookDepth};
use crate::requests::callers::AgentCaller;
use crate::requests::callers::Public;
use crate::requests::cookie::{self, PageHeaders};
use crate::requests::peer::ClientPeer;
use crate::responses::answer::{Answer, Reply, data};
use crate::responses::problem::Problem;

calls! {
    "Dashboard";
    /// Sign in with a cookie that scripts cannot read
    POST "/api/v2/sign_in" open_session = open [401 429];
    /// Sign out: the cookie is invalidated, and the logout webhook is sent
    POST "/api/v2/sign_out" close_session = close [400];
    /// Get the signed-in agent, their permissions, their app and this server
    GET "/api/v2/me" me = load;
    /// Change your own name, picture and dashboard preferences
    PATCH "/api/v2/me" change_me = change [403 404 409];
}

async fn open(
    State(services): State<Services>,
    _: Public,
    ClientPeer(peer): ClientPeer,
    PageHeaders(headers): PageHeaders,
    body: OmnichannelBody<OpenSessionFields>,
) -> Answer<Data<Me<'static>>> {
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
        SessionProof::Code(code) => actions::sign_in_by_code(services.decisions(), &code).await?,
    };
    let (id, now) = (agent.profile.user.id, clock::now());
    let device = known_devices::new_proof(&app, id, &ids::secret(), now);
    let answer = me(&services, &app, &agent).await?;
    let answer = with_cookie(answer, cookie::keeping(&token, is_kept, services.config()));
    Ok(with_cookie(answer, cookie::keeping_device(&device, services.config())))
}

async fn close(
    State(services): State<Services>,
    caller: AgentCaller<Everyone>,
    depth: WebhookDepth,
) -> Answer<Data<Done>> {
    end_sign_in(services.decisions(), caller, depth).await?;
    let answer = data(Done { message: "You are signed out." })?;
    Ok(with_cookie(answer, cookie::ending(services.config())))
}

async fn load(
    State(services): State<Services>,
    caller: AgentCaller<Everyone>,
) -> Answer<Data<Me<'static>>> {
    me(&services, &caller.app, &caller.agent).await
}

async fn change(
    State(services): State<Services>,
    caller: AgentCaller<Everyone>,
    body: OmnichannelBody<ChangeMeFields>,
) -> Answer<Data<Me<'static>>> {
    let edit = read_change_of_me(body.fields())?;
    let (app, user) = (&caller.app, caller.agent.profile.user.id);
    actions::update_agent(&services, &caller, user, edit, None).await?;
    let found = services.store().signed_in(&caller.token_hash, clock::now()).await?;
    me(&services, app, &found.ok_or(Refusal::SignedOut)?).await
}

async fn me(services: &Services, app: &Arc<App>, agent: &AgentRecord) -> Answer<Data<Me<'static>>> {
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

fn with_cookie<T>(answer: Reply<T>, cookie: Option<HeaderValue>) -> Reply<T> {
    let mut answer = answer.into_response();
    if let Some(cookie) = cookie {
        answer.headers_mut().append(header::SET_COOKIE, cookie);
    }
    answer.into()
}
