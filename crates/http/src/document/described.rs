//! Descriptions of handlers' arguments and responses for the OpenAPI document.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Path, Query, Request};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use confab_domain::limits;
use confab_wire::message_api::Results;
use confab_wire::omnichannel_api::support::DataPage;
use confab_wire::refusal::ErrorBody;
use confab_wire::webhook_api::Data;
use utoipa::__dev::ComposeSchema;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{ContentBuilder, RefOr, Required, ResponseBuilder};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::document::description::{Described, DescribedCall, JSON, content};
use crate::requests::bodies::{
    HookRequest, IdempotencyKey, ListedUsers, OmnichannelBody, OpenedRooms, PostedFields, RawBody,
    RequestBody, RequestQuery, RoomUniqueIds, StreamedForm, UniqueIds, WebhookDepth,
};
use crate::requests::brands::Brand;
use crate::requests::cookie::PageHeaders;
use crate::requests::page_origin::PageOrigin;
use crate::requests::peer::ClientPeer;
use crate::responses::answer::{
    Bare, Cached, Csv, FileContent, Frames, List, OrSocket, RangeOfFile, Readiness, Reply, Text,
};
use crate::responses::compressing::AcceptsGzip;

/// Implements [`Described`] for arguments that the document does not show.
macro_rules! not_shown {
    ($($type:ty),+ $(,)?) => {$(
        impl Described for $type {
            fn describe(_: &mut DescribedCall) {}
        }
    )+};
}

not_shown! {
    Path<String>,
    Path<(String, String)>,
    Path<(String, String, String)>,
    Extension<Brand>,
    Bytes,
    HeaderMap,
    Parts,
    Request,
    Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    AcceptsGzip,
    ClientPeer,
    PageOrigin,
    WebhookDepth,
    RequestBody,
    OmnichannelBody,
    RequestQuery,
}

/// Implements [`Described`] for all arguments of a handler together.
macro_rules! together {
    ($(($($part:ident),*))+) => {$(
        impl<$($part: Described),*> Described for ($($part,)*) {
            fn describe(call: &mut DescribedCall) {
                let _ = &call;
                $($part::describe(call);)*
            }
        }
    )+};
}
together! { () (P1) (P1, P2) (P1, P2, P3) (P1, P2, P3, P4) }

impl<F: ToSchema> Described for RequestBody<F> {
    fn describe(call: &mut DescribedCall) {
        body::<F>(call, JSON);
    }
}

impl<F: ToSchema> Described for OmnichannelBody<F> {
    fn describe(call: &mut DescribedCall) {
        body::<F>(call, JSON);
    }
}

impl<F: ToSchema> Described for PostedFields<F> {
    fn describe(call: &mut DescribedCall) {
        body::<F>(call, JSON);
    }
}

impl<F: ToSchema> Described for StreamedForm<F> {
    fn describe(call: &mut DescribedCall) {
        body::<F>(call, "multipart/form-data");
    }
}

impl Described for HookRequest {
    fn describe(call: &mut DescribedCall) {
        let text = content(String::schema());
        let body = RequestBodyBuilder::new().content(JSON, text).required(Some(Required::True));
        call.operation.request_body = Some(body.build().into());
    }
}

impl<F: ToSchema> Described for RawBody<F> {
    fn describe(call: &mut DescribedCall) {
        body::<F>(call, JSON);
    }
}

fn body<F: ToSchema>(call: &mut DescribedCall, content_type: &str) {
    let content = content(call.schema::<F>());
    let body = RequestBodyBuilder::new().content(content_type, content);
    call.operation.request_body = Some(body.required(Some(Required::True)).build().into());
}

impl<F: IntoParams> Described for Query<F> {
    fn describe(call: &mut DescribedCall) {
        call.parameters(F::into_params(|| Some(ParameterIn::Query)));
    }
}

impl<F: IntoParams> Described for RequestQuery<F> {
    fn describe(call: &mut DescribedCall) {
        call.parameters(F::into_params(|| Some(ParameterIn::Query)));
    }
}

/// Documents queries with a list of ids.
macro_rules! id_lists {
    ($($type:ident $name:literal $about:literal,)+) => {$(
        impl IntoParams for $type {
            fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
                let ids = ParameterBuilder::new().name($name).description(Some($about));
                let ids = ids.parameter_in(ParameterIn::Query).required(Required::False);
                vec![ids.schema(Some(<Vec<String>>::schema())).build()]
            }
        }
    )+};
}

id_lists! {
    UniqueIds "unique_ids[]" "Unique ids of messages, if the body has none; repeated for each",
    ListedUsers "user_ids[]" "User ids, if the body has none; repeated for each",
    RoomUniqueIds "room_channel_ids[]"
        "Unique ids of rooms, if the body has none; repeated for each",
    OpenedRooms "room_id" "Room ids of conversations to open with the connection, at most 20",
}

impl Described for PageHeaders {
    fn describe(call: &mut DescribedCall) {
        let header = ParameterBuilder::new().name("x-confab").description(Some("Always 1"));
        let header = header.parameter_in(ParameterIn::Header).required(Required::True);
        let header = header.schema(Some(String::schema())).example(Some("1".into()));
        call.parameters(vec![header.build()]);
    }
}

impl Described for IdempotencyKey {
    fn describe(call: &mut DescribedCall) {
        let about = "Unique id of the message, if the body has none. A repeated request with the \
            same key returns the first message and posts nothing.";
        let text = ObjectBuilder::new().schema_type(Type::String);
        let text = text.max_length(Some(limits::UNIQUE_ID_CHARS_MAX));
        let key = ParameterBuilder::new().name("Idempotency-Key").description(Some(about));
        let key = key.parameter_in(ParameterIn::Header).required(Required::False);
        call.parameters(vec![key.schema(Some(text)).build()]);
    }
}

impl<T: ToSchema> Described for Reply<Data<T>>
where
    Data<T>: ComposeSchema,
{
    fn describe(call: &mut DescribedCall) {
        let body = call.schema_of::<Data<T>, T>("Data", T::schema());
        call.done(body);
    }
}

impl<T: ToSchema> Described for Reply<Data<List<T>>>
where
    Data<T>: ComposeSchema,
{
    fn describe(call: &mut DescribedCall) {
        let list = ArrayBuilder::new().items(T::schema()).into();
        let body = call.schema_of::<Data<T>, T>("Data_Vec", list);
        call.done(body);
    }
}

impl<T: ToSchema> Described for Reply<Results<T>>
where
    Results<T>: ComposeSchema,
{
    fn describe(call: &mut DescribedCall) {
        let body = call.schema_of::<Results<T>, T>("Results", T::schema());
        call.done(body);
    }
}

impl<T: ToSchema> Described for Reply<DataPage<T>>
where
    DataPage<T>: ComposeSchema + ToSchema,
{
    fn describe(call: &mut DescribedCall) {
        <DataPage<T>>::schemas(&mut call.schemas);
        let body = call.schema_of::<DataPage<T>, T>("DataPage", T::schema());
        call.done(body);
    }
}

impl<T: ToSchema> Described for Reply<Bare<T>> {
    fn describe(call: &mut DescribedCall) {
        let body = call.schema::<T>();
        call.done(body);
    }
}

impl<T> Described for Reply<Cached<T>>
where
    Reply<T>: Described,
{
    fn describe(call: &mut DescribedCall) {
        Reply::<T>::describe(call);
        let about = "Unchanged since the version that `If-None-Match` names";
        call.response("304", ResponseBuilder::new().description(about));
    }
}

impl<T> Described for Reply<OrSocket<T>>
where
    Reply<T>: Described,
{
    fn describe(call: &mut DescribedCall) {
        Reply::<T>::describe(call);
        let about = "A WebSocket with the same object as its only frame";
        call.response("101", ResponseBuilder::new().description(about));
    }
}

impl<T: ToSchema> Described for Reply<Frames<T>> {
    fn describe(call: &mut DescribedCall) {
        let frame = content(call.schema::<T>());
        let events = ResponseBuilder::new().description("Server-sent events, each with a frame");
        call.response("200", events.content("text/event-stream", frame.clone()));
        let socket = ResponseBuilder::new().description("A WebSocket with the same frames");
        call.response("101", socket.content(JSON, frame));
    }
}

impl<T: ToSchema> Described for Reply<Readiness<T>> {
    fn describe(call: &mut DescribedCall) {
        Reply::<Bare<T>>::describe(call);
        let about = "The server is not ready or is stopping";
        let body = content(call.schema::<ErrorBody>());
        call.response("503", ResponseBuilder::new().description(about).content(JSON, body));
    }
}

impl Described for Reply<Text> {
    fn describe(call: &mut DescribedCall) {
        file(call, "200", "Done", "text/plain", Some(String::schema()));
    }
}

impl Described for Reply<Csv> {
    fn describe(call: &mut DescribedCall) {
        file(call, "200", "Done", "text/csv", Some(String::schema()));
    }
}

impl Described for Reply<FileContent> {
    fn describe(call: &mut DescribedCall) {
        let bytes = <Vec<u8>>::schema();
        file(call, "200", "The file", "application/octet-stream", Some(bytes));
    }
}

impl Described for Reply<RangeOfFile> {
    fn describe(call: &mut DescribedCall) {
        file(call, "200", "The file", "application/octet-stream", None);
        file(call, "206", "Part of the file", "application/octet-stream", None);
        file(call, "416", "No such part of the file", JSON, None);
    }
}

fn file(
    call: &mut DescribedCall,
    status: &str,
    about: &str,
    content_type: &str,
    schema: Option<RefOr<Schema>>,
) {
    let content = ContentBuilder::new().schema(schema).build();
    let response = ResponseBuilder::new().description(about).content(content_type, content);
    call.response(status, response);
}
