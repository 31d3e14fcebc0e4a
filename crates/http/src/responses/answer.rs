//! Answers of handlers: always JSON, with content type exactly `application/json`
//! (design/message-api).

use axum::http::StatusCode;
use axum::response::Response;
use confab_wire::message_api::results;
use confab_wire::omnichannel_api::support;
use confab_wire::webhook_api;
use serde::Serialize;

use crate::responses::json::json;
use crate::responses::problem::Problem;

/// The result of a handler.
pub(crate) type Answer = Result<Response, Problem>;

/// Answers `{results, status: 200}`.
pub(crate) fn ok(body: impl Serialize) -> Answer {
    Ok(json(StatusCode::OK, &results(body)))
}

/// Answers `{data, status: 200}`.
pub(crate) fn data(body: impl Serialize) -> Answer {
    Ok(json(StatusCode::OK, &webhook_api::data(body)))
}

/// Answers `{data, meta, status: 200}`.
pub(crate) fn paged<T: Serialize>(page: support::DataPage<T>) -> Answer {
    Ok(json(StatusCode::OK, &page))
}
