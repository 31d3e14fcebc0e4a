//! Custom buttons (D-0038).

use confab_domain::ids::DeliveryId;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::service::buttons::{Button, WantedButton};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::read_needed_text;
use crate::body::Body;
use crate::reading::{Given, Reading};

/// A button as it shall be.
#[derive(Deserialize, ToSchema)]
#[schema(as = PutCustomButton)]
pub struct PutButtonFields<'a> {
    /// What stands on it.
    #[schema(value_type = String, required = true, max_length = 100, example = "Open a ticket")]
    #[serde(borrow, default)]
    label: Given<'a>,
    /// Where the webhook is posted to.
    #[schema(value_type = String, required = true, max_length = 2048,
        example = "https://tickets.example.com/hook")]
    #[serde(default)]
    webhook_url: Given<'a>,
    /// Whether it can be pressed.
    #[schema(value_type = Option<bool>, default = true)]
    #[serde(default)]
    is_active: Given<'a>,
}

/// Reads a button. What is not given is as it was before, if there is a button before.
pub fn read_button(body: &Body<'_>, before: Option<&Button>) -> Result<WantedButton, Refusal> {
    let fields: PutButtonFields<'_> = body.fields()?;
    let mut reading = Reading::default();
    let is_changed = |given: Given<'_>| before.is_none() || !given.is_absent();
    let label = match before {
        Some(before) if !is_changed(fields.label) => Some(before.label.clone()),
        _ => read_needed_text(&mut reading, "label", fields.label, limits::LABEL_CHARS_MAX),
    };
    let url = match before {
        Some(before) if !is_changed(fields.webhook_url) => Some(before.url.clone()),
        _ => {
            let given = fields.webhook_url;
            read_needed_text(&mut reading, "webhook_url", given, limits::URL_CHARS_MAX)
        }
    };
    let is_active = reading.boolean("is_active", fields.is_active);
    let is_active = is_active.unwrap_or(before.is_none_or(|before| before.is_active));
    let (Some(label), Some(url)) = (label, url) else { return Err(reading.refusal()) };
    reading.finish()?;
    Ok(WantedButton { label, url, is_active })
}

/// A custom button.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CustomButton)]
pub struct ButtonShape<'a> {
    id: i64,
    /// What stands on it.
    label: &'a str,
    /// Where the webhook is posted to.
    webhook_url: &'a str,
    /// Whether it can be pressed.
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

/// `{custom_button}`
#[derive(Debug, Serialize, ToSchema)]
pub struct ButtonBox<'a> {
    custom_button: ButtonShape<'a>,
}

/// One button.
pub fn one_button(button: &Button) -> ButtonBox<'_> {
    ButtonBox { custom_button: button.into() }
}

/// `{custom_buttons}`
#[derive(Debug, Serialize, ToSchema)]
pub struct ButtonList<'a> {
    custom_buttons: Vec<ButtonShape<'a>>,
}

/// Buttons.
pub fn button_list(buttons: &[Button]) -> ButtonList<'_> {
    ButtonList { custom_buttons: buttons.iter().map(ButtonShape::from).collect() }
}

/// What pressing a button led to.
#[derive(Debug, Serialize, ToSchema)]
pub struct Pressed {
    /// The delivery, whose outcome is shown at `/api/v2/webhooks/deliveries/{id}`.
    delivery_id: Option<i64>,
}

/// What pressing a button led to.
pub fn pressed(delivery: Option<DeliveryId>) -> Pressed {
    Pressed { delivery_id: delivery.map(|it| it.0) }
}
