//! The mark as resolved webhook (spec 2.5, wire facts 6.4).

use confab_domain::webhooks::event::Resolved;
use serde::Serialize;
use utoipa::ToSchema;

use super::channel::ChannelShape;
use super::custom_button::{AdditionalInfoShape, infos};

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookMarkAsResolvedBody)]
pub(super) struct MarkAsResolvedBody<'a> {
    app_code: &'a str,
    channel: ChannelShape<'a>,
    customer: ResolvedCustomerShape<'a>,
    resolved_by: ResolverShape<'a>,
    service: ResolvedServiceShape<'a>,
}

impl<'a> From<&'a Resolved> for MarkAsResolvedBody<'a> {
    fn from(resolved: &'a Resolved) -> Self {
        Self {
            app_code: resolved.app.as_str(),
            channel: (&resolved.channel).into(),
            customer: resolved.into(),
            resolved_by: resolved.into(),
            service: resolved.into(),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookResolvedCustomer)]
struct ResolvedCustomerShape<'a> {
    additional_info: Vec<AdditionalInfoShape<'a>>,
    avatar: &'a str,
    name: &'a str,
    user_id: &'a str,
}

impl<'a> From<&'a Resolved> for ResolvedCustomerShape<'a> {
    fn from(resolved: &'a Resolved) -> Self {
        Self {
            additional_info: infos(&resolved.infos),
            avatar: &resolved.customer.avatar_url,
            name: &resolved.customer.username,
            user_id: resolved.customer.user_id.as_str(),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookResolver)]
struct ResolverShape<'a> {
    email: &'a str,
    id: i64,
    is_available: bool,
    name: &'a str,
    r#type: &'a str,
}

impl<'a> From<&'a Resolved> for ResolverShape<'a> {
    fn from(resolved: &'a Resolved) -> Self {
        let user = &resolved.resolved_by;
        Self {
            email: &user.email,
            id: user.id.0,
            is_available: resolved.is_resolver_available,
            name: &user.name,
            r#type: user.role.as_str(),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = WebhookResolvedService)]
struct ResolvedServiceShape<'a> {
    first_comment_id: String,
    id: i64,
    is_resolved: bool,
    // A string in spec 2.5; it was an integer earlier (wire facts 6.4).
    last_comment_id: String,
    // A string in spec 2.5, so it is empty without notes; wire facts 6.4 have observed null.
    notes: &'a str,
    room_id: String,
    source: &'a str,
}

impl<'a> From<&'a Resolved> for ResolvedServiceShape<'a> {
    fn from(resolved: &'a Resolved) -> Self {
        let session = &resolved.session;
        Self {
            first_comment_id: session.first_message.to_string(),
            id: session.id.0,
            is_resolved: session.resolved_at.is_some(),
            last_comment_id: session.last_message.to_string(),
            notes: session.notes.as_deref().unwrap_or_default(),
            room_id: session.room.to_string(),
            source: &resolved.channel.source,
        }
    }
}
