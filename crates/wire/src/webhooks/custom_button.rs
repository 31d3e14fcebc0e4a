//! The custom button webhook (spec 2.5, wire facts 6.3).

use confab_domain::agents::agent::Agent;
use confab_domain::people::user::User;
use confab_domain::webhooks::event::{CustomButton, CustomerProperty, Info, Tag};
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookCustomButtonBody)]
pub(super) struct CustomButtonBody<'a> {
    additional_info: Vec<AdditionalInfoShape<'a>>,
    agent: ClickingAgentShape<'a>,
    channel_id: i64,
    channel_name: &'a str,
    channel_type: &'a str,
    customer: ButtonCustomerShape<'a>,
    customer_properties: Vec<PropertyShape<'a>>,
    notes: Option<&'a str>,
    // An integer here, a string in every other body (wire facts 6.3).
    room_id: i64,
    tag: Vec<ButtonTagShape<'a>>,
}

impl<'a> From<&'a CustomButton> for CustomButtonBody<'a> {
    fn from(click: &'a CustomButton) -> Self {
        Self {
            additional_info: infos(&click.infos),
            agent: (&click.clicked_by).into(),
            channel_id: click.channel.id.0,
            channel_name: &click.channel.name,
            channel_type: &click.channel.source,
            customer: (&*click.customer).into(),
            customer_properties: click.properties.iter().map(PropertyShape::from).collect(),
            notes: click.notes.as_deref(),
            room_id: click.room.0,
            tag: click.tags.iter().map(ButtonTagShape::from).collect(),
        }
    }
}

/// An info about the customer in this room. Spec 2.5 leaves its keys open; wire facts 6.3 have
/// `key` and `value`.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookAdditionalInfo)]
pub(super) struct AdditionalInfoShape<'a> {
    key: &'a str,
    value: &'a str,
}

/// Converts the entries of `additional_info`.
pub(super) fn infos(infos: &[Info]) -> Vec<AdditionalInfoShape<'_>> {
    infos.iter().map(|info| AdditionalInfoShape { key: &info.key, value: &info.value }).collect()
}

/// Agent who clicked the button. The type is the name of the role, as in the mark as resolved
/// webhook (wire facts 6.4).
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookClickingAgent)]
struct ClickingAgentShape<'a> {
    email: &'a str,
    name: &'a str,
    r#type: &'a str,
}

impl<'a> From<&'a Agent> for ClickingAgentShape<'a> {
    fn from(user: &'a Agent) -> Self {
        Self { email: &user.email, name: &user.name, r#type: user.role.as_str() }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookButtonCustomer)]
struct ButtonCustomerShape<'a> {
    avatar: &'a str,
    name: &'a str,
    user_id: &'a str,
}

impl<'a> From<&'a User> for ButtonCustomerShape<'a> {
    fn from(user: &'a User) -> Self {
        Self { avatar: &user.avatar_url, name: &user.username, user_id: user.user_id.as_str() }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookProperty)]
struct PropertyShape<'a> {
    id: i64,
    label: &'a str,
    value: &'a str,
}

impl<'a> From<&'a CustomerProperty> for PropertyShape<'a> {
    fn from(property: &'a CustomerProperty) -> Self {
        Self { id: property.id.0, label: &property.label, value: &property.value }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookButtonTag)]
struct ButtonTagShape<'a> {
    id: i64,
    name: &'a str,
}

impl<'a> From<&'a Tag> for ButtonTagShape<'a> {
    fn from(tag: &'a Tag) -> Self {
        Self { id: tag.id.0, name: &tag.name }
    }
}
