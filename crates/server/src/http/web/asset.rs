//! What pages are built of: files with a hash in their names, which browsers keep for good.

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use confab_web::Asset;

use crate::http::compressing::takes;
use crate::http::etag;
use crate::http::problem::Problem;

const FOR_GOOD: &str = "public, max-age=31536000, immutable";
const ASK_EACH_TIME: &str = "no-cache";

/// `GET /dashboard/assets/{name}`. What is not there is not found, and is never the page: a script
/// that turns out to be HTML breaks in ways that nobody understands.
pub(super) async fn of_dashboard(
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    Ok(answer(find(&format!("dashboard/assets/{name}"))?, &headers))
}

/// A file of the pages.
pub(super) fn find(path: &str) -> Result<&'static Asset, Problem> {
    confab_web::find(path).ok_or_else(|| {
        Problem::new(StatusCode::NOT_FOUND, "not_found", "There is no such part of the page.")
    })
}

/// A file in the smallest form that the browser reads, or nothing if it has it.
pub(in crate::http) fn answer(asset: &'static Asset, headers: &HeaderMap) -> Response {
    let caching = if asset.is_hashed { FOR_GOOD } else { ASK_EACH_TIME };
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

/// The smallest form that the browser reads: brotli by https and on loopback, gzip elsewhere.
fn compressed(asset: &'static Asset, headers: &HeaderMap) -> Option<(&'static str, &'static [u8])> {
    let accepted = headers.get(header::ACCEPT_ENCODING)?.to_str().ok()?;
    let brotli = asset.brotli.filter(|_| takes(accepted, "br")).map(|bytes| ("br", bytes));
    brotli.or_else(|| asset.gzip.filter(|_| takes(accepted, "gzip")).map(|bytes| ("gzip", bytes)))
}
