//! Error bodies (spec 7): a sentence that explains the problem, one detail per field, a code for
//! programs, and the request id.

use confab_domain::refusal::Refusal;
use serde::Serialize;
use utoipa::ToSchema;

use crate::time::to_the_second;

/// Error body of the message API.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    /// Message, code and request id of the error.
    pub error: ErrorDetail,
    /// HTTP status of the response.
    #[schema(example = 404)]
    pub status: u16,
}

/// An error: a message for people and a code for programs.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorDetail {
    /// Description of the error.
    #[schema(example = "Room 55 does not exist in this app; create it first.")]
    pub message: String,
    /// One sentence per wrong field; if no field is wrong, only the `message`.
    pub detailed_messages: Vec<String>,
    /// Error code for programs.
    #[schema(example = "room_not_found")]
    pub code: String,
    /// Request id, also in the server's log and in the header `x-request-id`.
    pub request_id: String,
}

/// Error body of the omnichannel API and of the webhook API.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorsBody {
    /// Message and code of the error.
    pub errors: ErrorsDetail,
    /// HTTP status of the response.
    #[schema(example = 404)]
    pub status: u16,
}

/// An error: a message for people and a code for programs.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorsDetail {
    /// Description of the error.
    #[schema(example = "No endpoint is registered for bot; register one first.")]
    pub message: String,
    /// Error code for programs.
    #[schema(example = "endpoint_not_found")]
    pub code: String,
    /// One sentence per wrong field; if no field is wrong, only the `message`.
    pub detailed_messages: Vec<String>,
}

impl From<ErrorBody> for ErrorsBody {
    fn from(ErrorBody { error, status }: ErrorBody) -> Self {
        let ErrorDetail { message, detailed_messages, code, .. } = error;
        Self { errors: ErrorsDetail { message, code, detailed_messages }, status }
    }
}

/// Error body of calls that are compatible with a provider's API (D-0155). Clients handle errors of
/// this server and of the provider alike.
#[derive(Debug, Serialize, ToSchema)]
pub struct ServiceErrorBody {
    /// Message, code and request id of the error.
    pub error: ServiceErrorDetail,
}

/// An error, under the field names of Meta's API.
#[derive(Debug, Serialize, ToSchema)]
pub struct ServiceErrorDetail {
    /// Description of the error.
    #[schema(example = "Channel 7 does not exist in this app.")]
    pub message: String,
    /// Error code for programs, as in the other APIs.
    #[serde(rename = "type")]
    #[schema(example = "channel_not_found")]
    pub kind: String,
    /// Meta's number for this class of errors.
    #[schema(example = 100)]
    pub code: u32,
    pub error_data: ServiceErrorData,
    /// Request id, also in the server's log and in the header `x-request-id`.
    pub fbtrace_id: String,
}

/// Additional data of an error, as in Meta's API: `details` has one sentence per wrong field.
#[derive(Debug, Serialize, ToSchema)]
pub struct ServiceErrorData {
    #[schema(example = "whatsapp")]
    pub messaging_product: &'static str,
    pub details: String,
}

impl From<ErrorBody> for ServiceErrorBody {
    fn from(ErrorBody { error, status }: ErrorBody) -> Self {
        let ErrorDetail { message, detailed_messages, code: kind, request_id } = error;
        let code = match status {
            401 => 190,
            403 => 10,
            429 => 130_429,
            500.. => 131_016,
            _ => 100,
        };
        let details = detailed_messages.join(" ");
        let error_data = ServiceErrorData { messaging_product: "whatsapp", details };
        let fbtrace_id = request_id;
        Self { error: ServiceErrorDetail { message, kind, code, error_data, fbtrace_id } }
    }
}

/// Returns the text of a refusal, with times in the format of the API.
pub fn message(refusal: &Refusal) -> String {
    match refusal {
        Refusal::WindowClosed { until: Some(until) } => {
            let until = to_the_second(*until);
            format!("The customer's window was open until {until}: {INSTEAD}")
        }
        Refusal::WindowClosed { until: None } => {
            format!("The customer has not written yet, so no window is open: {INSTEAD}")
        }
        other => other.to_string(),
    }
}

const INSTEAD: &str = "wait until they write; on WhatsApp, send a template.";

/// Returns the HTTP status and the error code of a refusal.
pub fn status_and_code(refusal: &Refusal) -> (u16, &'static str) {
    match refusal {
        Refusal::Invalid(_) => (400, "invalid_request"),
        Refusal::RoomNotFound(_) => (404, "room_not_found"),
        Refusal::UsersNotFound(_) => (404, "user_not_found"),
        Refusal::UserAmbiguous { .. } => (409, "user_ambiguous"),
        Refusal::MessagesNotFound(_) | Refusal::MessageNotFound(_) => (404, "message_not_found"),
        Refusal::NotYourMessage(_) => (403, "not_your_message"),
        Refusal::NotAParticipant { .. } => (403, "not_a_participant"),
        Refusal::UserDeactivated(_) => (403, "user_deactivated"),
        Refusal::SystemUser(_) => (403, "system_user"),
        Refusal::RepliedMessageNotInRoom(_) => (400, "replied_message_not_in_room"),
        Refusal::MessageDeleted(_) => (409, "message_deleted"),
        Refusal::UniqueIdTaken { .. } => (409, "unique_id_taken"),
        Refusal::RoomExists(_) => (409, "room_exists"),
        Refusal::WrongRoomKind { .. } => (400, "wrong_room_type"),
        Refusal::RoomFull(_) => (409, "room_full"),
        Refusal::CustomersRoom(_) => (403, "customers_room"),
        Refusal::Blocked(_) => (403, "blocked"),
        Refusal::AppUploadsFull { .. } => (403, "quota_exceeded"),
        Refusal::UserUploadedMuch { .. } => (429, "quota_exceeded"),
        Refusal::KindNotFound(_) => (404, "kind_not_found"),
        Refusal::EndpointNotFound(_) => (404, "endpoint_not_found"),
        Refusal::EndpointInUse(_) => (409, "endpoint_in_use"),
        Refusal::NoExample(_) => (400, "no_example"),
        Refusal::DeliveryNotFound(_) => (404, "delivery_not_found"),
        Refusal::WebhookLoop => (400, "webhook_loop"),
        Refusal::NotACustomerRoom(_) => (404, "room_not_found"),
        Refusal::AgentNotFound(_) => (404, "agent_not_found"),
        Refusal::WrongSignIn | Refusal::WrongSignInCode | Refusal::SignedOut => {
            (401, "unauthorized")
        }
        Refusal::WrongPassword => (403, "wrong_password"),
        Refusal::KeysChanged => (409, "keys_changed"),
        Refusal::SignInNotFound => (404, "sign_in_not_found"),
        Refusal::WrongRole(_) | Refusal::RoleChanged | Refusal::NotForCustomers => {
            (403, "forbidden")
        }
        Refusal::LastAdmin => (409, "last_admin"),
        Refusal::EmailTaken => (409, "email_taken"),
        Refusal::OwnAccount => (403, "own_account"),
        Refusal::ForcedOffline => (403, "forced_offline"),
        Refusal::TooManyAgentsInApp(_) => (409, "too_many_agents_in_app"),
        Refusal::ChannelNotFound(_) => (404, "channel_not_found"),
        Refusal::SessionResolved(_) => (400, "session_resolved"),
        Refusal::NotResolved(_) => (400, "not_resolved"),
        Refusal::LeftBehind(_) => (400, "left_behind"),
        Refusal::AlreadyAssigned { .. } => (400, "already_assigned"),
        Refusal::NotAssigned { .. } => (400, "not_assigned"),
        Refusal::WrongChannel(_) => (400, "wrong_channel"),
        Refusal::TooManyAgents { .. } => (400, "too_many_agents"),
        Refusal::ChannelOff(_) => (403, "channel_off"),
        Refusal::CannotStart => (409, "cannot_start"),
        Refusal::WindowClosed { .. } => (409, "window_closed"),
        Refusal::ChannelKeyTaken => (409, "channel_key_taken"),
        Refusal::AccountConnected => (409, "account_connected"),
        Refusal::TooManyChannels { .. } => (409, "too_many_channels"),
        Refusal::NotServing(_) => (403, "not_serving"),
        Refusal::NonceNotGood => (400, "nonce_not_good"),
        Refusal::VisitorNotProven => (401, "visitor_not_proven"),
        Refusal::NotYourRoom(_) => (403, "not_your_room"),
        Refusal::AlreadyServed(_) => (400, "already_served"),
        Refusal::NobodyFree => (400, "nobody_free"),
        Refusal::NobodyWaits => (404, "nobody_waits"),
        Refusal::NoAdmin => (400, "no_admin"),
        Refusal::ButtonNotFound(_) => (404, "button_not_found"),
        Refusal::DivisionNotFound(_) => (404, "division_not_found"),
        Refusal::CannedReplyNotFound(_) => (404, "canned_reply_not_found"),
        Refusal::NoteNotFound(_) => (404, "note_not_found"),
        Refusal::NotYourNote(_) => (403, "not_your_note"),
        Refusal::ButtonOff(_) => (400, "button_off"),
        Refusal::InfoNotFound(_) => (404, "info_not_found"),
        Refusal::PropertyNotFound(_) => (404, "property_not_found"),
        Refusal::TagNotFound { .. } | Refusal::TagOfAppNotFound(_) => (404, "tag_not_found"),
        Refusal::ContactNotFound(_) => (404, "contact_not_found"),
        Refusal::TooMany { .. } => (400, "too_many"),
    }
}
