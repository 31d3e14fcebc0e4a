//! The interactive API page at `/docs` and its OpenAPI document, both served from the binary
//! without other hosts. The document is the checked-in one; a test generates it from the routes and
//! compares (design/operations).

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{Redirect, Response};
use axum::routing::get;
use bytes::Bytes;
use confab_app::services::Services;

use super::web::asset;
use crate::responses::problem::Problem;

/// Content security policy of the API page, by which it loads scripts only from this server.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' \
    'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; \
    frame-ancestors 'none'; base-uri 'none'";

/// Brand in the checked-in document, which is the default brand of a server.
const BRAND: &str = "SERVICE";

/// Returns the routes `GET /docs`, the assets of its page, and `GET /openapi.json`.
pub(super) fn docs() -> Router<Services> {
    let index = async |headers: HeaderMap| part(Path("index.html".to_owned()), headers).await;
    // Built on the first request, then cached.
    let made = Arc::new(OnceLock::<Bytes>::new());
    let document = async move |State(services): State<Services>| {
        let brands = &services.config().brands;
        let made = made.get_or_init(|| for_brands(confab_web::openapi(), brands).into());
        ([(header::CONTENT_TYPE, "application/json")], made.clone())
    };
    Router::new()
        .route("/docs", get(async || Redirect::to("/docs/")))
        .route("/docs/", get(index))
        .route("/docs/{*part}", get(part))
        .route("/openapi.json", get(document))
        .layer(axum::middleware::from_fn(only_ours))
}

async fn part(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    let part = confab_web::find(&format!("docs/{name}"));
    let part = part.ok_or_else(|| Problem::of_status(StatusCode::NOT_FOUND))?;
    Ok(asset::answer(part, &headers))
}

/// Replaces the default brand in the document by the first of these brands: in header names, and in
/// lower case in paths and in the signature header of webhooks.
fn for_brands(document: Vec<u8>, brands: &[String]) -> Vec<u8> {
    let Some(brand) = brands.first().filter(|brand| *brand != BRAND) else { return document };
    let document = String::from_utf8_lossy(&document);
    let headers = document.replace(&format!("\"{BRAND}-"), &format!("\"{brand}-"));
    let (own, other) = (BRAND.to_lowercase(), brand.to_lowercase());
    let within = |version: &str, brand: &str| format!("\"/api/{version}/{brand}/");
    let of_webhooks = |brand: &str| format!("\"{brand}-signature-key\"");
    let headers = headers.replace(&of_webhooks(&own), &of_webhooks(&other));
    let paths = ["v1", "v2"].iter().fold(headers, |document, version| {
        document.replace(&within(version, &own), &within(version, &other))
    });
    paths.into_bytes()
}

async fn only_ours(request: axum::extract::Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let policies = [
        (header::CONTENT_SECURITY_POLICY, PAGE_POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    let policies = policies.map(|(name, value)| (name, HeaderValue::from_static(value)));
    response.headers_mut().extend(policies);
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::document as made_anew;

    fn value(document: &[u8]) -> serde_json::Value {
        serde_json::from_slice(document).expect("JSON")
    }

    #[test]
    fn the_api_document_of_another_brand_equals_a_generated_one() {
        for brands in [&["SERVICE"][..], &["ACME", "SERVICE"], &["X-Y"], &["SERVICE", "ACME"]] {
            let brands: Vec<String> = brands.iter().map(|it| (*it).to_owned()).collect();
            let made = serde_json::to_value(made_anew(&brands)).expect("JSON");
            let made_of = |brands: &[String]| serde_json::to_vec(&made_anew(brands)).expect("JSON");
            let shown = for_brands(made_of(&[BRAND.to_owned()]), &brands);
            assert!(value(&shown) == made, "{brands:?}");
        }
    }
}
