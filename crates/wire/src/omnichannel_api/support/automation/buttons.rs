//! Custom buttons, with which agents send webhooks to the app (design/support).

use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::buttons::{Button, ButtonInput};
use confab_domain::webhooks::delivery::{Attempt, DeliveryState, ErrorClass};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::{Flag, Label, NonEmptyIfPresent};
use crate::request::request;

request! {
    /// Body of a request to create or change a button.
    pub struct PutButtonFields as "PutCustomButton" {
        /// Text on the button.
        label: Label<{ limits::LABEL_CHARS_MAX }>, required, example = "Open a ticket";
        /// URL to which the webhook is sent.
        webhook_url: Label<{ limits::URL_CHARS_MAX }>, required,
            example = "https://tickets.example.com/hook";
        /// Whether the button can be pressed.
        is_active: Flag, or true, default = || true.into();
    }
}

request! {
    /// Body of a request to change a button; all fields are optional.
    struct ChangeButtonFields {
        label: NonEmptyIfPresent<Label<{ limits::LABEL_CHARS_MAX }>>, optional;
        webhook_url: NonEmptyIfPresent<Label<{ limits::URL_CHARS_MAX }>>, optional;
        is_active: Flag, optional;
    }
}

/// Parses a request to create a button, or to change `before`. In a change, absent fields keep
/// their values.
pub fn read_button(body: &Body<'_>, before: Option<&Button>) -> Result<ButtonInput, Refusal> {
    let Some(before) = before else {
        let PutButtonFields { label, webhook_url: url, is_active } = body.read()?;
        return Ok(ButtonInput { label, url, is_active });
    };
    let fields: ChangeButtonFields = body.read()?;
    Ok(ButtonInput {
        label: fields.label.unwrap_or_else(|| before.label.clone()),
        url: fields.webhook_url.unwrap_or_else(|| before.url.clone()),
        is_active: fields.is_active.unwrap_or(before.is_active),
    })
}

/// A custom button.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CustomButton)]
pub struct ButtonShape<'a> {
    id: i64,
    /// Text on the button.
    label: &'a str,
    /// URL to which the webhook is sent; empty for agents, who may not see it.
    webhook_url: &'a str,
    /// Whether the button can be pressed.
    is_active: bool,
}

impl<'a> From<&'a Button> for ButtonShape<'a> {
    fn from(button: &'a Button) -> Self {
        Self {
            id: button.id.0,
            label: &button.label,
            webhook_url: &button.url,
            is_active: button.is_active,
        }
    }
}

/// Response data with one button.
#[derive(Debug, Serialize, ToSchema)]
pub struct ButtonBox<'a> {
    custom_button: ButtonShape<'a>,
}

/// Returns response data with one button.
pub fn one_button(button: &Button) -> ButtonBox<'_> {
    ButtonBox { custom_button: button.into() }
}

/// Response data with a list of buttons.
#[derive(Debug, Serialize, ToSchema)]
pub struct ButtonList<'a> {
    custom_buttons: Vec<ButtonShape<'a>>,
}

/// Returns response data with a list of buttons. Without `shows_urls`, webhook URLs are empty.
pub fn button_list(buttons: &[Button], shows_urls: bool) -> ButtonList<'_> {
    let shown = |button| {
        let shape = ButtonShape::from(button);
        if shows_urls { shape } else { ButtonShape { webhook_url: "", ..shape } }
    };
    ButtonList { custom_buttons: buttons.iter().map(shown).collect() }
}

/// Response data of a pressed button.
#[derive(Debug, Serialize, ToSchema)]
pub struct PressResult {
    /// Id of the webhook delivery, whose result is at
    /// `/api/v2/custom_buttons/presses/{delivery_id}`.
    delivery_id: Option<i64>,
}

/// Returns the response data of a pressed button.
pub fn pressed(delivery: Option<DeliveryId>) -> PressResult {
    PressResult { delivery_id: delivery.map(|it| it.0) }
}

/// Response data with the result of a pressed button.
#[derive(Debug, Serialize, ToSchema)]
pub struct PressBox<'a> {
    press: PressShape<'a>,
}

/// The result of a pressed button.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Press)]
pub struct PressShape<'a> {
    delivery_id: i64,
    /// State of the button's webhook: `pending`, `done` or `failed`.
    #[schema(value_type = String, example = "done")]
    state: &'static str,
    /// HTTP status of the last delivery attempt.
    #[schema(example = 200)]
    status_code: Option<u16>,
    /// Cause of the last attempt's failure, as an error class.
    #[schema(example = "status_5xx")]
    reason: Option<&'a str>,
}

/// Returns the result of a pressed button, from the last attempt of its delivery.
pub fn press(
    delivery: DeliveryId,
    standing: DeliveryState,
    last: Option<&Attempt>,
) -> PressBox<'static> {
    let state = match standing {
        DeliveryState::Waiting | DeliveryState::Parked => "pending",
        DeliveryState::Delivered => "done",
        DeliveryState::Failed => "failed",
    };
    let (status_code, error) = last.map_or((None, None), |it| (it.status, it.error));
    let reason = error.map(ErrorClass::as_str);
    PressBox { press: PressShape { delivery_id: delivery.0, state, status_code, reason } }
}

/// Returns the email address of the agent who pressed the button, from the webhook body.
pub fn pressed_by(body: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct PressBody {
        agent: Presser,
    }
    #[derive(Deserialize)]
    struct Presser {
        email: String,
    }
    serde_json::from_str(body).ok().map(|body: PressBody| body.agent.email)
}
