//! Assets of the web pages. Browsers cache an asset forever if its name contains a hash.

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use confab_web::Asset;

use crate::responses::compressing::takes;
use crate::responses::etag;
use crate::responses::problem::Problem;

const IMMUTABLE: &str = "public, max-age=31536000, immutable";
const ASK_EACH_TIME: &str = "no-cache";

/// Handles `GET /dashboard/assets/{name}`. Unknown assets get 404 and never the dashboard's page,
/// because HTML in place of a script would cause confusing errors.
pub(super) async fn of_dashboard(
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    Ok(answer(find(&format!("dashboard/assets/{name}"))?, &headers))
}

/// Finds an asset, or fails with 404.
pub(super) fn find(path: &str) -> Result<&'static Asset, Problem> {
    confab_web::find(path).ok_or_else(|| {
        Problem::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "This file of the page does not exist. Reload the page.",
        )
    })
}

/// Answers with an asset in its smallest accepted encoding, or with 304 if the browser has it.
pub(crate) fn answer(asset: &'static Asset, headers: &HeaderMap) -> Response {
    let caching = if asset.is_hashed { IMMUTABLE } else { ASK_EACH_TIME };
    let about = [
        (header::ETAG, asset.etag),
        (header::CACHE_CONTROL, caching),
        (header::VARY, "accept-encoding"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    if etag::is_known(headers, asset.etag) {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    let kind = [(header::CONTENT_TYPE, asset.content_type)];
    match compressed(asset, headers) {
        Some((coding, bytes)) => {
            (about, kind, [(header::CONTENT_ENCODING, coding)], bytes).into_response()
        }
        None => (about, kind, asset.bytes()).into_response(),
    }
}

/// Returns the smallest accepted encoding. Browsers accept brotli over HTTPS and on loopback, gzip
/// elsewhere.
fn compressed(asset: &'static Asset, headers: &HeaderMap) -> Option<(&'static str, &'static [u8])> {
    let accepted = headers.get(header::ACCEPT_ENCODING)?.to_str().ok()?;
    let brotli = asset.brotli.filter(|_| takes(accepted, "br")).map(|bytes| ("br", bytes));
    brotli.or_else(|| asset.gzip.filter(|_| takes(accepted, "gzip")).map(|bytes| ("gzip", bytes)))
}
