//! The document's webhooks: the requests that this server sends to receivers (spec 2.5).

use confab_wire::webhooks::described::{DescribedWebhook, described};
use utoipa::openapi::path::{
    OperationBuilder, ParameterBuilder, ParameterIn, PathItem, PathsBuilder,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{
    ContentBuilder, HttpMethod, OpenApi, Ref, RefOr, Required, ResponseBuilder, ResponsesBuilder,
};

const ANSWER: &str = "Received. Any other response, or none, is a failed attempt, and retried.";
const SIGNATURE: &str = "HMAC-SHA256 of the raw body with the app's secret key, as Base64.";

/// Adds the webhooks and returns their schemas. The name of the signature header starts with the
/// brand.
pub(super) fn add(document: &mut OpenApi, brand: &str) -> Vec<(String, RefOr<Schema>)> {
    let signature = format!("{}-signature-key", brand.to_lowercase());
    let (webhooks, schemas) = described();
    let mut paths = PathsBuilder::new();
    for webhook in webhooks {
        let name = webhook.kind.as_str();
        paths = paths.path(name, PathItem::new(HttpMethod::Post, operation(webhook, &signature)));
    }
    document.webhooks = Some(paths.build());
    schemas
}

fn operation(webhook: DescribedWebhook, signature: &str) -> OperationBuilder {
    let DescribedWebhook { kind, about, schema, example } = webhook;
    let signature = ParameterBuilder::new()
        .name(signature)
        .parameter_in(ParameterIn::Header)
        .required(Required::True)
        .description(Some(SIGNATURE))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)));
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(schema)))
        .example(Some(example))
        .build();
    let body = RequestBodyBuilder::new()
        .content("application/json", content)
        .required(Some(Required::True))
        .build();
    let answer = ResponseBuilder::new().description(ANSWER);
    OperationBuilder::new()
        .operation_id(Some(format!("{}_webhook", kind.as_str())))
        .tag("Webhooks")
        .summary(Some(about))
        .parameter(signature)
        .request_body(Some(body))
        .responses(ResponsesBuilder::new().response("2XX", answer).build())
}
