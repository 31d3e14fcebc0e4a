//! Answers of handlers: always JSON, with content type exactly `application/json`
//! (design/message-api).

use std::marker::PhantomData;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use confab_wire::message_api::{Results, results};
use confab_wire::omnichannel_api::support::DataPage;
use confab_wire::webhook_api::{self, Data};
use serde::Serialize;

use crate::responses::json::json;
use crate::responses::problem::Problem;

/// The result of a handler, and the type of the response that the OpenAPI document shows.
pub(crate) type Answer<T> = Result<Reply<T>, Problem>;

/// A response whose body is documented as `T`.
pub(crate) struct Reply<T>(Response, PhantomData<fn() -> T>);

impl<T> Reply<T> {
    /// Returns the same response with another documented body.
    pub(crate) fn documented_as<U>(self) -> Reply<U> {
        self.0.into()
    }
}

impl<T> From<Response> for Reply<T> {
    fn from(response: Response) -> Self {
        Self(response, PhantomData)
    }
}

impl<T> IntoResponse for Reply<T> {
    fn into_response(self) -> Response {
        self.0
    }
}

/// A body that consists of a `T` without `data` or `results` around it.
pub(crate) struct Bare<T>(PhantomData<T>);

/// A list of `T`.
pub(crate) struct List<T>(PhantomData<T>);

/// A response that may be missing because the client's copy is current.
pub(crate) struct Cached<T>(PhantomData<T>);

/// A response `T`, or a WebSocket with it as its only frame.
pub(crate) struct OrSocket<T>(PhantomData<T>);

/// A connection with frames of type `T`, as server-sent events or over a WebSocket.
pub(crate) struct Frames<T>(PhantomData<T>);

/// A report `T` if the server is ready, else an error.
pub(crate) struct Readiness<T>(PhantomData<T>);

/// A plain text.
pub(crate) struct Text;

/// A table as comma-separated values.
pub(crate) struct Csv;

/// The content of a file.
pub(crate) struct FileContent;

/// The content of a file or of a byte range.
pub(crate) struct RangeOfFile;

/// Answers `{results, status: 200}`.
pub(crate) fn ok<T>(body: impl Serialize) -> Answer<Results<T>> {
    bare(results(body))
}

/// Answers `{data, status: 200}`.
pub(crate) fn data<T>(body: impl Serialize) -> Answer<Data<T>> {
    bare(webhook_api::data(body))
}

/// Answers `{data, meta, status: 200}`.
pub(crate) fn paged<T, V: Serialize>(page: DataPage<V>) -> Answer<DataPage<T>> {
    bare(page)
}

/// Answers with this body.
pub(crate) fn bare<T>(body: impl Serialize) -> Answer<T> {
    Ok(json(StatusCode::OK, &body).into())
}
