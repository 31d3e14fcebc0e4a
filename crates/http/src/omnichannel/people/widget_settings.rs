//! Appearance, texts and allowed origins of an app's widget (design/pages).

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use confab_app::decide::Decisions;
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::support::configuring::SetSettings;
use confab_domain::support::settings::Settings;
use confab_runtime::{clock, ids};
use confab_store::{Store, StoreError};
use confab_wire::omnichannel_api::people::widget_settings::{
    PublicWidget, WidgetSettingsBox, WidgetSettingsFields, WidgetSurroundings, public_widget,
    read_widget_settings, widget_settings,
};
use confab_wire::time::local_time;
use confab_wire::webhook_api::{self, Data};
use sha2::{Digest, Sha256};

use crate::calls::calls;
use crate::omnichannel::widget::unknown_app;
use crate::requests::access::Admins;
use crate::requests::bodies::OmnichannelBody;
use crate::requests::callers::{By, PathApp};
use crate::requests::page_origin::PageOrigin;
use crate::requests::part::Part;
use crate::responses::answer::{Answer, Cached, data};
use crate::responses::etag;
use crate::responses::json::{json_bytes, write};

calls! {
    "Channels";
    /// Get the public settings of the widget, with an ETag
    GET "/api/v2/widget/{app_code}" get_widget = load_public [403 404 429];

    "Configuration";
    /// Get the settings of the widget
    GET "/api/v2/widget_settings" get_widget_settings = load [403];
    /// Set the settings of the widget
    PUT "/api/v2/widget_settings" set_widget_settings = set [403];
}

async fn load_public(
    State(services): State<Services>,
    PathApp(named): PathApp,
    origin: PageOrigin,
    headers: HeaderMap,
) -> Answer<Cached<Data<PublicWidget<'static>>>> {
    let _running = named.count(&services)?;
    let app = named.app().ok_or_else(unknown_app)?;
    let settings = services.store().settings(app.id).await?;
    origin.check(&services, &settings)?;
    let config = services.config();
    let brand = config.brands.first().map(|brand| brand.to_lowercase()).unwrap_or_default();
    let around = WidgetSurroundings {
        brand: &brand,
        version: env!("CARGO_PKG_VERSION"),
        upload_max_bytes: config.upload_max_bytes,
        upload_types: &config.upload_types,
        is_anybody_there: is_anybody_there(services.store(), app, &settings).await?,
    };
    let mut body = Vec::new();
    write(&mut body, &webhook_api::data(public_widget(app, &settings, &around)));
    Ok(unless_cached(body, &headers).into())
}

/// Whether an agent is available now, within the app's office hours.
async fn is_anybody_there(
    store: &Store,
    app: &App,
    settings: &Settings,
) -> Result<bool, StoreError> {
    let zone = settings.get(Settings::TIMEZONE).unwrap_or_default();
    if !settings.office_hours().is_open(local_time(zone, clock::now())) {
        return Ok(false);
    }
    let agents = store.agents(app.id).await?;
    Ok(agents.iter().any(|it| it.profile.is_there()))
}

/// Answers with the body, or with status 304 if the caller has already cached it.
fn unless_cached(body: Vec<u8>, headers: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", ids::hex(&Sha256::digest(&body)[..16]));
    let mut answer = if etag::is_known(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        json_bytes(StatusCode::OK, body)
    };
    let about = answer.headers_mut();
    about.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        about.insert(header::ETAG, tag);
    }
    answer
}

async fn load(
    Part(store): Part<Store>,
    caller: By<Admins>,
) -> Answer<Data<WidgetSettingsBox<'static>>> {
    data(widget_settings(&store.settings(caller.app.id).await?))
}

async fn set(
    Part(decisions): Part<Decisions>,
    caller: By<Admins>,
    body: OmnichannelBody<WidgetSettingsFields>,
) -> Answer<Data<WidgetSettingsBox<'static>>> {
    let before = decisions.store().settings(caller.app.id).await?;
    let wanted = read_widget_settings(body.fields(), &before)?;
    let rule = SetSettings { wanted };
    data(widget_settings(&decisions.decide(&caller, rule).await?))
}
