//! `POST /api/v2/contacts/properties/{contact_id}`

use axum::extract::{Path, State};
use confab_domain::ids::UserKey;
use confab_domain::refusal::Refusal;
use confab_wire::omnichannel_api::service::id_in_path;
use confab_wire::omnichannel_api::service::infos::{
    ContactProperty, PropertyFields, property, read_property,
};
use confab_wire::webhook_api::Data;

use super::OFFICE;
use crate::actions;
use crate::http::answer::{Answer, data};
use crate::http::bodies::OmniBody;
use crate::http::callers::OmniCaller;
use crate::http::docs::OmniFailures;
use crate::services::Services;

#[utoipa::path(
    post,
    path = "/api/v2/contacts/properties/{contact_id}",
    operation_id = "set_contact_property",
    tag = "Service",
    summary = "Set what is known about a customer in every room",
    params(("contact_id" = i64, Path, description = "The customer: `contact_id` of a room")),
    request_body = PropertyFields,
    security(("token" = []), ("app_code" = [], "secret_key" = [])),
    responses((status = 200, description = "Done", body = Data<ContactProperty<'static>>), OmniFailures),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: OmniCaller,
    Path(contact): Path<String>,
    body: OmniBody,
) -> Answer {
    let by = caller.must_be(&OFFICE)?;
    let customer = UserKey(id_in_path(&contact, Refusal::ContactNotFound)?);
    let wanted = read_property(body.fields())?;
    let set = actions::set_property(&services, &caller.app, by, customer, wanted).await?;
    data(property(customer, &set))
}
