//! Answers: always JSON, and the type says exactly `application/json` (D-0006).

use axum::http::StatusCode;
use axum::response::Response;
use confab_wire::message_api::results;
use confab_wire::omnichannel_api::support;
use confab_wire::webhook_api;
use serde::Serialize;

use super::problem::Problem;
use crate::http::json::json;

/// What a handler gives.
pub(crate) type Answer = Result<Response, Problem>;

/// `{results, status: 200}`
pub(crate) fn ok(body: impl Serialize) -> Answer {
    Ok(json(StatusCode::OK, &results(body)))
}

/// `{data, status: 200}`
pub(crate) fn data(body: impl Serialize) -> Answer {
    Ok(json(StatusCode::OK, &webhook_api::data(body)))
}

/// `{data, meta, status: 200}`
pub(crate) fn paged<T: Serialize>(page: support::DataPage<T>) -> Answer {
    Ok(json(StatusCode::OK, &page))
}
