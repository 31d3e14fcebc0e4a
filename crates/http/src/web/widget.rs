//! The files and pages of the widget (design/pages).
//!
//! - `GET /widget.js`: the loader script, which a shop's page includes
//! - `GET /widget/assets/{name}`: the files that it loads
//! - `GET /chat/{app_code}`: the widget as a page of its own, for links and for pages without
//!   scripts
//! - `GET /widget/demo`: a shop next to the dashboard, if enabled
//! - `GET /widget/demo/shop`: the shop alone, with the widget

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use confab_app::services::Services;
use confab_domain::app::App;
use confab_domain::support::settings::Settings;

use super::asset;
use super::page::PERMISSIONS;
use crate::requests::callers::PathApp;
use crate::responses::problem::Problem;

/// Placeholder in the demo's shop page that is replaced by the app's code.
const APP_PLACE: &str = "__APP__";
/// Language attribute of the demo's shop page, which is replaced if another language is requested.
const ENGLISH: &str = "lang=\"en\"";
const INDONESIAN: &str = "lang=\"id\"";

/// Cache policy of files whose name does not depend on their content, so that browsers soon check
/// for a new version.
const A_WHILE: &str = "public, max-age=300";

/// Handles `GET /widget.js`.
pub(super) async fn loader(headers: HeaderMap) -> Result<Response, Problem> {
    let found = asset::find("widget/widget.js")?;
    let mut answer = asset::answer(found, &headers);
    answer.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(A_WHILE));
    Ok(for_other_pages(answer))
}

/// Handles `GET /widget/assets/{name}`.
pub(super) async fn part(
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let found = asset::find(&format!("widget/assets/{name}"))?;
    Ok(for_other_pages(asset::answer(found, &headers)))
}

/// Adds the header by which pages with cross-origin isolation may load the file.
fn for_other_pages(mut answer: Response) -> Response {
    let policy = HeaderName::from_static("cross-origin-resource-policy");
    answer.headers_mut().insert(policy, HeaderValue::from_static("cross-origin"));
    answer
}

/// Handles `GET /chat/{app_code}`. The page is the same for every app; it reads the app's code from
/// its URL.
pub(super) async fn chat(
    State(services): State<Services>,
    PathApp(named): PathApp,
) -> Result<Response, Problem> {
    let _running = named.count(&services)?;
    let Some(app) = named.app() else {
        let message = "There is no app with this code.";
        return Err(Problem::new(StatusCode::NOT_FOUND, "app_not_found", message));
    };
    let settings = services.store().settings(app.id).await?;
    let page = asset::find("widget/chat.html")?;
    let policy = format!("{}; {TEXTS_ONLY}", policy(&ancestors(&settings)));
    Ok(html(page.bytes().into_owned(), &policy))
}

/// Returns the sites that may show the chat page in a frame: those that may show the widget.
fn ancestors(settings: &Settings) -> String {
    let origins: Vec<_> = settings.widget_origins().collect();
    // The dashboard's widget configurator frames it too.
    if origins.is_empty() { "'self'".to_owned() } else { format!("'self' {}", origins.join(" ")) }
}

/// Handles `GET /widget/demo`.
pub(super) async fn demo(State(services): State<Services>) -> Result<Response, Problem> {
    demo_app(&services).await?;
    let page = asset::find("widget/demo.html")?;
    Ok(html(page.bytes().into_owned(), &format!("{}; {TEXTS_ONLY}", policy("'none'"))))
}

/// Handles `GET /widget/demo/shop`: a page that includes the widget as every shop does. Only the
/// demo frames it.
pub(super) async fn demo_shop(
    State(services): State<Services>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let app = demo_app(&services).await?;
    let page = asset::find("widget/shop.html")?.bytes();
    let page = String::from_utf8_lossy(&page);
    let is_indonesian = query.is_some_and(|it| it.split('&').any(|pair| pair == "lang=id"));
    let language = if is_indonesian { INDONESIAN } else { ENGLISH };
    let page = page.replace(APP_PLACE, app.code.as_str()).replacen(ENGLISH, language, 1);
    Ok(html(page.into_bytes(), &format!("{}; {TEXTS_ONLY}", policy("'self'"))))
}

/// Returns the app that the demo uses: the server's first app. Fails if the demo is disabled.
async fn demo_app(services: &Services) -> Result<App, Problem> {
    let app = match services.config().widget_demo {
        true => services.store().first_app().await?,
        false => None,
    };
    app.ok_or_else(|| {
        let message = "The demo is off. Switch it on with the setting widget_demo.";
        Problem::new(StatusCode::NOT_FOUND, "not_found", message)
    })
}

fn html(page: Vec<u8>, policy: &str) -> Response {
    let fixed = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("permissions-policy"), PERMISSIONS),
    ];
    let policy = HeaderValue::from_str(policy).map(|it| [(header::CONTENT_SECURITY_POLICY, it)]);
    match policy {
        Ok(policy) => (fixed, policy, page).into_response(),
        // Origins are validated before they are stored. A page without its policy is never served.
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Part of the content security policy by which a text is never interpreted as markup or as the URL
/// of a script.
const TEXTS_ONLY: &str = "require-trusted-types-for 'script'; trusted-types 'none'";

/// Returns the content security policy of the widget's pages, by which they run only their own
/// scripts. `ancestors` are the sites that may show them in a frame.
fn policy(ancestors: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; \
         img-src 'self' data: blob: https:; media-src 'self' blob: https:; font-src 'self'; \
         connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; \
         frame-ancestors {ancestors}"
    )
}
