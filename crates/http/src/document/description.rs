//! The documentation of a call, from its declaration and the types of its handler.

use std::any::type_name;

use axum::routing::MethodFilter;
use utoipa::__dev::ComposeSchema;
use utoipa::ToSchema;
use utoipa::openapi::path::{Operation, Parameter};
use utoipa::openapi::schema::Schema;
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{Content, ContentBuilder, HttpMethod, Ref, RefOr, Response, ResponseBuilder};

use crate::api::Api;
use crate::declaration::Declaration;
use crate::document::{failures, path_parameters};

/// An argument or a response of a handler.
pub(crate) trait Described {
    fn describe(call: &mut DescribedCall);
}

/// The documentation of a call so far.
#[derive(Default)]
pub(crate) struct DescribedCall {
    pub(super) operation: Operation,
    pub(super) schemas: Vec<(String, RefOr<Schema>)>,
}

impl DescribedCall {
    pub(super) fn parameters(&mut self, parameters: Vec<Parameter>) {
        self.operation
            .parameters
            .get_or_insert_default()
            .extend(parameters.into_iter().map(RefOr::from));
    }

    /// Adds a type and the types of its fields. Returns a reference to it.
    pub(super) fn schema<T: ToSchema>(&mut self) -> RefOr<Schema> {
        self.schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(&mut self.schemas);
        Ref::from_schema_name(T::name()).into()
    }

    /// Adds a generic type whose parameter has this schema. Returns a reference to it.
    pub(super) fn schema_of<W: ComposeSchema, T: ToSchema>(
        &mut self,
        wrapper: &str,
        of: RefOr<Schema>,
    ) -> RefOr<Schema> {
        let parameters = parameters_of::<T>();
        if parameters.is_empty() {
            self.schema::<T>();
        } else {
            T::schemas(&mut self.schemas);
        }
        let name = format!("{wrapper}_{}{parameters}", T::name());
        self.schemas.push((name.clone(), W::compose(vec![of])));
        Ref::from_schema_name(name).into()
    }

    pub(super) fn response(&mut self, status: &str, response: ResponseBuilder) {
        let response: RefOr<Response> = response.build().into();
        self.operation.responses.responses.insert(status.to_owned(), response);
    }

    pub(super) fn done(&mut self, body: RefOr<Schema>) {
        self.response(
            "200",
            ResponseBuilder::new().description("Done").content(JSON, content(body)),
        );
    }
}

/// Returns the parameters of a generic type, such as `_String`; a schema's name does not have them.
fn parameters_of<T>() -> String {
    let parameters = type_name::<T>().split_once('<').map(|(_, rest)| rest.trim_end_matches('>'));
    let types = parameters.into_iter().flat_map(|all| all.split(", "));
    let types = types.filter(|it| !it.starts_with('\''));
    types.map(|it| format!("_{}", it.rsplit("::").next().unwrap_or(it))).collect()
}

pub(super) fn content(schema: RefOr<Schema>) -> Content {
    ContentBuilder::new().schema(Some(schema)).build()
}

/// Documentation of a call.
pub(crate) struct Description {
    pub(super) methods: Vec<HttpMethod>,
    pub(super) operation: Operation,
    pub(super) schemas: Vec<(String, RefOr<Schema>)>,
}

impl Description {
    /// Returns the documentation of a call whose handler has this request and response.
    pub(crate) fn of<Request: Described, Response: Described>(
        declaration: &Declaration,
        api: &Api,
    ) -> Self {
        let mut call = DescribedCall::default();
        Request::describe(&mut call);
        Response::describe(&mut call);
        let DescribedCall { mut operation, schemas } = call;
        let mut paragraphs = declaration.texts.split(|line| line.is_empty());
        let mut paragraph = || paragraphs.next().map(|it| it.concat().trim().to_owned());
        operation.summary = paragraph();
        operation.description = paragraph();
        operation.operation_id = Some(declaration.operation_id.to_owned());
        operation.tags = Some(vec![declaration.tag.to_owned()]);
        path_parameters::add(declaration.path, &mut operation);
        api.describe(&mut operation, declaration.refusals);
        Self { methods: vec![method_of(declaration.method)], operation, schemas }
    }
}

fn method_of(filter: MethodFilter) -> HttpMethod {
    match filter {
        MethodFilter::POST => HttpMethod::Post,
        MethodFilter::PUT => HttpMethod::Put,
        MethodFilter::PATCH => HttpMethod::Patch,
        MethodFilter::DELETE => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}

impl Api {
    /// Documents the credentials and failures of a call. `refusals` are those of its rules.
    fn describe(&self, call: &mut Operation, refusals: &[u16]) {
        if !self.proofs.is_empty() {
            call.security = Some(self.proofs.iter().map(|headers| proof(headers)).collect());
        }
        self.offer_forms(call);
        for (status, about) in self.failures {
            if !failures::is_possible(self, call, refusals, status) {
                continue;
            }
            let said = call.responses.responses.entry((*status).to_owned());
            said.or_insert_with(|| self.failure(about).into());
        }
    }

    /// Documents that forms are accepted wherever JSON is.
    fn offer_forms(&self, call: &mut Operation) {
        let Some(RefOr::T(body)) = &mut call.request_body else { return };
        let Some(fields) = body.content.get(JSON).cloned() else { return };
        for form in self.forms {
            body.content.entry((*form).to_owned()).or_insert_with(|| fields.clone());
        }
    }

    fn failure(&self, about: &str) -> Response {
        let body = Ref::from_schema_name(self.errors.schema());
        let content = ContentBuilder::new().schema(Some(body)).build();
        ResponseBuilder::new().description(about).content(JSON, content).build()
    }
}

fn proof(headers: &[&str]) -> SecurityRequirement {
    let none: [&str; 0] = [];
    headers.iter().fold(SecurityRequirement::default(), |all, header| all.add(*header, none))
}

pub(super) const JSON: &str = "application/json";
