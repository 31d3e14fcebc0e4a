//! The dashboard's page, generated for each visit with a new nonce and policy (D-0111).

use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use confab_app::services::Services;
use confab_runtime::ids;

use crate::responses::problem::Problem;

/// Placeholder in the built page that is replaced by the nonce of each visit.
const NONCE_PLACE: &str = "__NONCE__";

/// Handles `GET /dashboard/{screen}`: the same page for every screen.
pub(super) async fn dashboard(State(services): State<Services>) -> Result<Response, Problem> {
    let page = confab_web::find("dashboard/index.html").ok_or_else(not_built)?;
    let nonce = ids::page_nonce();
    let text = String::from_utf8_lossy(&page.bytes()).replace(NONCE_PLACE, &nonce);
    let ancestors = if services.config().widget_demo { "'self'" } else { "'none'" };
    let policy = HeaderValue::from_str(&policy(&nonce, ancestors)).map_err(|_| not_built())?;
    let fixed = [
        (header::CONTENT_TYPE, page.content_type),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), PERMISSIONS),
    ];
    Ok((fixed, [(header::CONTENT_SECURITY_POLICY, policy)], text).into_response())
}

/// Permissions policy of the page, which forbids the use of device features such as the camera.
pub(super) const PERMISSIONS: &str =
    "camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=()";

/// Returns the content security policy: only the page's own scripts run, text never becomes markup,
/// and only the demo may frame the page, if enabled. Images and videos of messages may be on other
/// hosts.
fn policy(nonce: &str, ancestors: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; \
         img-src 'self' data: blob: https:; media-src 'self' blob: https:; font-src 'self'; \
         connect-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; \
         form-action 'self'; frame-ancestors {ancestors}; require-trusted-types-for 'script'; \
         trusted-types default"
    )
}

fn not_built() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "not_found", "This server was built without its pages.")
}
