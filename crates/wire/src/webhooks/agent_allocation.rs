//! The custom agent allocation webhook (spec 2.5, wire facts 6.2).

use confab_domain::webhooks::event::{AgentAllocation, Session};
use serde::Serialize;
use utoipa::ToSchema;

use super::dashboard_user::DashboardUserShape;
use crate::time::to_the_second;
use crate::webhooks::shapes::text_or_empty_object;

/// Body of the agent allocation webhook.
// No `Debug`: it contains a key.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookAgentAllocationBody)]
pub(super) struct AgentAllocationBody<'a> {
    app_code: &'a str,
    app_id: &'a str,
    avatar_url: &'a str,
    candidate_agent: Option<DashboardUserShape<'a>>,
    email: &'a str,
    extras: &'a str,
    is_new_session: bool,
    is_resolved: bool,
    latest_service: Option<ServiceShape<'a>>,
    name: &'a str,
    room_id: String,
    source: &'a str,
}

impl<'a> From<&'a AgentAllocation> for AgentAllocationBody<'a> {
    fn from(allocation: &'a AgentAllocation) -> Self {
        let customer = &*allocation.customer;
        Self {
            app_code: allocation.app.as_str(),
            // Older bodies had only `app_id`, with the same value (wire facts 6.2).
            app_id: allocation.app.as_str(),
            avatar_url: &customer.avatar_url,
            candidate_agent: allocation.candidate.as_ref().map(DashboardUserShape::from),
            email: customer.user_id.as_str(),
            extras: text_or_empty_object(allocation.extras.as_ref()),
            is_new_session: allocation.is_new_session,
            is_resolved: allocation.is_resolved,
            latest_service: allocation.latest_session.as_ref().map(ServiceShape::from),
            name: &customer.username,
            room_id: allocation.room.to_string(),
            source: &allocation.source,
        }
    }
}

/// A session: a customer's conversation until its resolution (wire facts 6.2).
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Service)]
pub struct ServiceShape<'a> {
    app_id: i64,
    created_at: String,
    first_comment_id: String,
    first_comment_timestamp: String,
    id: i64,
    is_resolved: bool,
    last_comment_id: String,
    notes: Option<&'a str>,
    resolved_at: Option<String>,
    retrieved_at: Option<String>,
    room_id: String,
    room_log_id: i64,
    updated_at: String,
    user_id: Option<i64>,
}

impl<'a> From<&'a Session> for ServiceShape<'a> {
    fn from(session: &'a Session) -> Self {
        Self {
            app_id: session.app.0,
            created_at: to_the_second(session.created_at),
            first_comment_id: session.first_message.to_string(),
            first_comment_timestamp: to_the_second(session.first_message_at),
            id: session.id.0,
            is_resolved: session.resolved_at.is_some(),
            last_comment_id: session.last_message.to_string(),
            notes: session.notes.as_deref(),
            resolved_at: session.resolved_at.map(to_the_second),
            retrieved_at: session.taken_at.map(to_the_second),
            room_id: session.room.to_string(),
            // A customer's room has only one log, so the room id identifies it.
            room_log_id: session.room.0,
            updated_at: to_the_second(session.updated_at),
            user_id: session.served_by.map(|id| id.0),
        }
    }
}
