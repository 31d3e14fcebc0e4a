//! Extractors of bodies and queries, tolerant toward published clients (design/message-api).

use std::borrow::Cow;
use std::convert::Infallible;
use std::marker::PhantomData;

use axum::body::Bytes;
use axum::extract::multipart::MultipartError;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Multipart, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, Uri, header};
use confab_app::services::Services;
use confab_domain::refusal::Refusal;
use confab_wire::body::Body;

use crate::responses::problem::Problem;

const FORM: &str = "application/x-www-form-urlencoded";

/// Fields that the OpenAPI document does not show.
pub(crate) struct Undocumented;

/// A JSON or urlencoded body, documented as `F`.
pub(crate) struct RequestBody<F = Undocumented> {
    bytes: Bytes,
    is_form: bool,
    fields: PhantomData<fn() -> F>,
}

impl<F> RequestBody<F> {
    /// Parses the fields of the body.
    pub(crate) fn fields(&self) -> Result<Body<'_>, Refusal> {
        if self.is_form { Body::from_form(&self.bytes) } else { Body::from_json(&self.bytes) }
    }

    /// Reads a body. For other content types, the error message lists `types`.
    async fn of_types(request: Request, services: &Services, types: &str) -> Result<Self, Problem> {
        let content_type = request.headers().get(header::CONTENT_TYPE);
        let kind = content_type.map_or("application/json", |kind| kind.to_str().unwrap_or("?"));
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_form = kind == FORM;
        let is_json = kind == "application/json" || kind.ends_with("+json");
        let bytes = Bytes::from_request(request, services)
            .await
            .map_err(|rejection| Problem::of_status(rejection.status()))?;
        // `curl -d '{…}'` labels JSON as a form by default.
        let is_form = is_form && !bytes.trim_ascii_start().starts_with(b"{");
        let is_json = is_json || !is_form && kind == FORM;
        // An empty body needs no content type.
        if !is_form && !is_json && !bytes.is_empty() {
            let message = format!("The body must be {types}.");
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            return Err(Problem::new(status, "unsupported_media_type", message));
        }
        Ok(Self { bytes, is_form, fields: PhantomData })
    }
}

impl<F> FromRequest<Services> for RequestBody<F> {
    type Rejection = Problem;

    async fn from_request(request: Request, services: &Services) -> Result<Self, Problem> {
        Self::of_types(request, services, JSON_TYPES).await
    }
}

/// Media types of a body of the message API.
const JSON_TYPES: &str = "application/json or application/x-www-form-urlencoded";
/// Media types of a body of the omnichannel API, as listed in error messages.
const OMNI_TYPES: &str =
    "multipart/form-data, application/x-www-form-urlencoded or application/json";

fn invalid(message: &'static str) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "invalid_request", message)
}

/// A body of the omnichannel API or of the older message API: a multipart form, an urlencoded one,
/// or JSON. It is documented as `F`.
pub(crate) struct OmnichannelBody<F = Undocumented>(Body<'static>, PhantomData<fn() -> F>);

impl<F> OmnichannelBody<F> {
    /// Returns the fields of the body.
    pub(crate) fn fields(&self) -> &Body<'static> {
        &self.0
    }
}

impl<F> FromRequest<Services> for OmnichannelBody<F> {
    type Rejection = Problem;

    async fn from_request(request: Request, services: &Services) -> Result<Self, Problem> {
        let content_type = request.headers().get(header::CONTENT_TYPE);
        let kind = content_type.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.trim_start().to_ascii_lowercase().starts_with("multipart/form-data") {
            let body = <RequestBody>::of_types(request, services, OMNI_TYPES).await?;
            return Ok(Self(body.fields()?.into_owned(), PhantomData));
        }
        let unreadable = |error: MultipartError| match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Problem::of_status(error.status()),
            _ => invalid("The multipart form is not valid. Every part must be text."),
        };
        let mut form = Multipart::from_request(request, services).await.map_err(|_| {
            invalid(
                "The Content-Type of the multipart form has no boundary. Let your HTTP client set \
                 this header.",
            )
        })?;
        let mut pairs = Vec::new();
        while let Some(part) = form.next_field().await.map_err(unreadable)? {
            let name = part.name().unwrap_or_default().to_owned();
            pairs.push((Cow::Owned(name), Cow::Owned(part.text().await.map_err(unreadable)?)));
        }
        Ok(Self(Body::from_pairs(pairs), PhantomData))
    }
}

/// A query with the ids of messages, used if the body has none.
pub(crate) struct UniqueIds;

/// A query with the ids of users, used if the body has none.
pub(crate) struct ListedUsers;

/// A query with the unique ids of rooms, used if the body has none.
pub(crate) struct RoomUniqueIds;

/// A query with the rooms that are opened with a live connection.
pub(crate) struct OpenedRooms;

/// The query of a request, documented as `F`.
pub(crate) struct RequestQuery<F = Undocumented>(String, PhantomData<fn() -> F>);

impl<F> RequestQuery<F> {
    fn of(uri: &Uri) -> Self {
        Self(uri.query().unwrap_or_default().to_owned(), PhantomData)
    }

    /// Returns the raw query.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the query is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Parses the fields of the query.
    pub(crate) fn fields(&self) -> Result<Body<'static>, Refusal> {
        Body::from_form(self.0.as_bytes())
    }
}

impl<F> FromRequestParts<Services> for RequestQuery<F> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Services) -> Result<Self, Problem> {
        Ok(Self::of(&parts.uri))
    }
}

/// The fields of a POST: those of the body, or of the query if the body is empty. They are
/// documented as a body `F`.
pub(crate) struct PostedFields<F> {
    body: RequestBody<F>,
    query: RequestQuery,
}

impl<F> PostedFields<F> {
    pub(crate) fn fields(&self) -> Result<Body<'_>, Refusal> {
        if self.body.bytes.is_empty() { self.query.fields() } else { self.body.fields() }
    }
}

impl<F> FromRequest<Services> for PostedFields<F> {
    type Rejection = Problem;

    async fn from_request(request: Request, services: &Services) -> Result<Self, Problem> {
        let query = RequestQuery::of(request.uri());
        Ok(Self { body: RequestBody::from_request(request, services).await?, query })
    }
}

/// A multipart form documented as `F`, which the handler reads while it arrives.
pub(crate) struct StreamedForm<F> {
    pub(crate) request: Request,
    fields: PhantomData<fn() -> F>,
}

impl<F> FromRequest<Services> for StreamedForm<F> {
    type Rejection = Infallible;

    async fn from_request(request: Request, _: &Services) -> Result<Self, Infallible> {
        Ok(Self { request, fields: PhantomData })
    }
}

/// A webhook of a provider, whose body is in the provider's format.
pub(crate) struct HookRequest(pub(crate) Request);

impl FromRequest<Services> for HookRequest {
    type Rejection = Infallible;

    async fn from_request(request: Request, _: &Services) -> Result<Self, Infallible> {
        Ok(Self(request))
    }
}

/// A body documented as `F`, which the handler parses.
pub(crate) struct RawBody<F> {
    pub(crate) bytes: Bytes,
    fields: PhantomData<fn() -> F>,
}

impl<F> FromRequest<Services> for RawBody<F> {
    type Rejection = BytesRejection;

    async fn from_request(request: Request, services: &Services) -> Result<Self, BytesRejection> {
        let bytes = Bytes::from_request(request, services).await?;
        Ok(Self { bytes, fields: PhantomData })
    }
}

/// The `Idempotency-Key` header of a POST (D-0002).
pub(crate) struct IdempotencyKey(Option<String>);

impl IdempotencyKey {
    pub(crate) fn as_deref(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl FromRequestParts<Services> for IdempotencyKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Services) -> Result<Self, Problem> {
        let Some(value) = parts.headers.get("idempotency-key") else { return Ok(Self(None)) };
        match std::str::from_utf8(value.as_bytes()) {
            Ok(key) => Ok(Self(Some(key.to_owned()))),
            Err(_) => Err(Problem::new(
                StatusCode::BAD_REQUEST,
                "invalid_request",
                "Idempotency-Key is not valid UTF-8",
            )),
        }
    }
}

/// Number of nested webhooks that caused a request: the `webhook-depth` header of a webhook, passed
/// on by its receiver.
pub(crate) struct WebhookDepth(pub(crate) u32);

impl FromRequestParts<Services> for WebhookDepth {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Services) -> Result<Self, Problem> {
        let Some(value) = parts.headers.get("webhook-depth") else { return Ok(Self(0)) };
        let depth = value.to_str().ok().and_then(|text| text.trim().parse().ok());
        depth.map(Self).ok_or_else(|| {
            let message = "webhook-depth must be the number that the webhook carried";
            Problem::new(StatusCode::BAD_REQUEST, "invalid_request", message)
        })
    }
}
