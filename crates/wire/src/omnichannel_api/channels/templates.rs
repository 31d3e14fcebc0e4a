//! Message templates of channels: lists of templates, and requests to send a template with the
//! values of its placeholders (design/channels).

use confab_domain::channels::template::{
    FilledTemplate, Template, TemplateButton, TemplateComponent, TemplateValues,
};
use confab_domain::json_text::JsonText;
use confab_domain::limits;
use confab_domain::messages::message::Draft;
use confab_domain::messages::payload::Payload;
use confab_domain::messages::unique_id::UniqueId;
use confab_domain::people::user::UserRef;
use confab_domain::refusal::Refusal;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::kind::Field;
use crate::fields::shape::{Items, Shape, list, string};
use crate::fields::{NonEmpty, Short, UniqueIdOrKey, field};
use crate::reading::{FieldJson, FieldReader};
use crate::request::request;

const NAME_CHARS_MAX: usize = 512;
const LANGUAGE_CHARS_MAX: usize = 16;

request! {
    /// A template and the values of its placeholders.
    pub struct TemplateFields {
        /// Name under which the template is registered with the provider.
        template_name: NonEmpty<Short<NAME_CHARS_MAX>>, required, example = "order_ready";
        /// Language code of the template; optional if the template exists in only one language.
        language: NonEmpty<Short<LANGUAGE_CHARS_MAX>>, optional, example = "id";
        /// Values of the placeholders in the body, in order.
        variables: OpenTexts, optional;
        /// Value of the placeholder in the header: text, or the URL of a file.
        header_value: OpenText, optional;
        /// Values of the placeholders in the buttons, in order.
        button_params: OpenTexts, optional;
    }
}

request! {
    /// Body of `POST /api/v2/customer_rooms/{room_id}/templates`.
    pub struct SendTemplateFields as "SendTemplate" {
        template: TemplateFields, group;
        unique_id: UniqueIdOrKey, group;
    }
}

/// A list of strings. Numbers and booleans are converted to strings; an object is replaced by the
/// string that it contains.
pub(super) struct OpenTexts;

impl Field for OpenTexts {
    type Value = Vec<String>;

    const SHAPE: Shape = list(Items::Texts).at_most(limits::TEMPLATE_VALUES_MAX);

    fn read(reading: &mut FieldReader, field: &str, given: FieldJson<'_>) -> Option<Vec<String>> {
        let json = reading.free_json(field, given)?;
        let json = json.as_str();
        let items = match json.starts_with('[') {
            true => serde_json::from_str::<Vec<&RawValue>>(json).ok(),
            false => serde_json::from_str::<&RawValue>(json).ok().map(|it| vec![it]),
        };
        let Some(items) = items else { return reading.wrong(field, "must be a list of strings") };
        if items.len() > limits::TEMPLATE_VALUES_MAX {
            let max = limits::TEMPLATE_VALUES_MAX;
            return reading.wrong(field, format!("must have at most {max} items"));
        }
        items.into_iter().map(|item| open_text(reading, field, item.get())).collect()
    }
}

field! {
    /// A string, or an object that contains one.
    pub(super) OpenText -> String,
        string().at_most(limits::TEMPLATE_VALUE_CHARS_MAX);
    |reading, field, given| {
        let json = reading.free_json(field, given)?;
        // Forms send an empty string for an absent field.
        if json.as_str() == "\"\"" { None } else { open_text(reading, field, json.as_str()) }
    }
}

fn open_text(reading: &mut FieldReader, field: &str, json: &str) -> Option<String> {
    let found = match json.as_bytes() {
        [b'"', ..] => serde_json::from_str(json).ok(),
        [b'-' | b'0'..=b'9' | b't' | b'f', ..] => Some(json.to_owned()),
        _ => serde_json::from_str(json).ok().and_then(|it: Value| text_within(&it)),
    };
    match found {
        Some(text) if text.contains('\0') => {
            reading.wrong(field, "must not contain the NUL character")
        }
        Some(text) => reading.short(field, text, limits::TEMPLATE_VALUE_CHARS_MAX),
        None => reading.wrong(field, "must be a string, or an object with one"),
    }
}

/// Returns the string in an object that has one of the formats that clients send, such as `{"type":
/// "text", "text": …}` or `{"type": "image", "image": {"link": …}}`.
fn text_within(value: &Value) -> Option<String> {
    let plain = ["text", "value", "link", "url", "coupon_code", "payload"];
    let found = plain.iter().find_map(|key| match &value[*key] {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    let named = || value[value["type"].as_str()?]["link"].as_str().map(str::to_owned);
    let first = || value["parameters"].as_array()?.first().and_then(text_within);
    found.or_else(named).or_else(first)
}

/// A template to send, with the values of its placeholders.
#[derive(Debug, Clone)]
pub struct TemplateInput {
    pub name: String,
    /// Language code of the template; optional if the template exists in only one language.
    pub language: Option<String>,
    pub values: TemplateValues,
}

impl From<TemplateFields> for TemplateInput {
    fn from(fields: TemplateFields) -> Self {
        let TemplateFields { template_name, language, variables, header_value, button_params } =
            fields;
        let (body, header) = (variables.unwrap_or_default(), header_value);
        let values = TemplateValues { body, header, buttons: button_params.unwrap_or_default() };
        Self { name: template_name, language, values }
    }
}

/// A request to send a template to the customer of a room.
pub struct TemplateRequest {
    pub template: TemplateInput,
    pub unique_id: Option<UniqueId>,
}

impl TemplateRequest {
    /// Parses the body of `POST /api/v2/customer_rooms/{room_id}/templates`.
    pub fn read(body: &Body<'_>, idempotency_key: Option<&str>) -> Result<Self, Refusal> {
        let SendTemplateFields { template, unique_id } = body.read_keyed(idempotency_key)?;
        Ok(Self { template: template.into(), unique_id: unique_id.0 })
    }
}

/// Returns the message that represents a sent template in its room: the text that the customer
/// reads, with the template's name and language in `extras`.
pub fn template_draft(
    filled: &FilledTemplate,
    sender: UserRef,
    unique_id: Option<UniqueId>,
) -> Draft {
    let which = json!({"name": filled.name, "language": filled.language});
    let extras = JsonText::from_checked(json!({"template": which}).to_string());
    let (text, payload) = (filled.text.clone(), Payload::Text);
    Draft { sender, text, payload, extras: Some(extras), unique_id }
}

/// A template that can be sent.
#[derive(Serialize, ToSchema)]
#[schema(as = ChannelTemplate)]
pub struct TemplateShape<'a> {
    #[schema(example = "order_ready")]
    name: &'a str,
    #[schema(example = "id")]
    language: &'a str,
    /// `MARKETING`, `UTILITY` or `AUTHENTICATION`.
    category: &'a str,
    /// Always `APPROVED`.
    status: &'a str,
    /// Whether all placeholders can be filled with text.
    is_supported: bool,
    components: Vec<TemplateComponentShape<'a>>,
}

#[derive(Serialize, ToSchema)]
pub struct TemplateComponentShape<'a> {
    /// `HEADER`, `BODY`, `FOOTER`, `BUTTONS` or another type of the provider.
    r#type: &'a str,
    /// Format of a header: `TEXT`, `IMAGE`, `VIDEO`, `DOCUMENT` or another format of the provider.
    format: Option<&'a str>,
    /// Text with its placeholders, such as `{{1}}`.
    text: &'a str,
    /// Number of placeholders, without those of buttons.
    parameters: usize,
    buttons: Vec<TemplateButtonShape<'a>>,
}

#[derive(Serialize, ToSchema)]
pub struct TemplateButtonShape<'a> {
    /// `URL`, `QUICK_REPLY`, `PHONE_NUMBER`, `COPY_CODE` or another type of the provider.
    r#type: &'a str,
    text: &'a str,
    /// URL that the button opens, or an empty string.
    url: &'a str,
    /// Number of placeholders.
    parameters: usize,
}

/// Response data with a list of templates.
#[derive(Serialize, ToSchema)]
pub struct TemplateList<'a> {
    templates: Vec<TemplateShape<'a>>,
}

/// Returns the templates of a channel.
pub fn template_list(templates: &[Template]) -> TemplateList<'_> {
    TemplateList { templates: templates.iter().map(shape).collect() }
}

fn shape(template: &Template) -> TemplateShape<'_> {
    TemplateShape {
        name: &template.name,
        language: &template.language,
        category: &template.category,
        status: &template.status,
        is_supported: template.is_supported(),
        components: template.components.iter().map(component_shape).collect(),
    }
}

fn component_shape(component: &TemplateComponent) -> TemplateComponentShape<'_> {
    TemplateComponentShape {
        r#type: &component.kind,
        format: component.format.as_deref(),
        text: &component.text,
        parameters: component.parameters(),
        buttons: component.buttons.iter().map(button_shape).collect(),
    }
}

fn button_shape(button: &TemplateButton) -> TemplateButtonShape<'_> {
    let parameters = button.parameters();
    TemplateButtonShape { r#type: &button.kind, text: &button.text, url: &button.url, parameters }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<TemplateInput, Refusal> {
        let body = Body::from_json(json.as_bytes()).expect("JSON");
        TemplateRequest::read(&body, None).map(|it| it.template)
    }

    #[test]
    fn placeholder_values_are_accepted_in_all_formats_of_clients() {
        let wanted = read(
            r#"{"template_name":"a","variables":["x",12.50,true,{"type":"text","text":"y"}],
                "header_value":{"type":"image","image":{"link":"https://a.example/b.png"}},
                "button_params":[{"type":"url","parameters":[{"type":"text","text":"z"}]}]}"#,
        );
        let values = wanted.expect("read").values;
        assert_eq!(values.body, ["x", "12.50", "true", "y"]);
        assert_eq!(values.header.as_deref(), Some("https://a.example/b.png"));
        assert_eq!(values.buttons, ["z"]);
        let form = read(r#"{"template_name":"a","variables":"[\"x\",\"y\"]","header_value":""}"#);
        let values = form.expect("read").values;
        assert_eq!((values.body.len(), values.header), (2, None));
        let one = read(r#"{"template_name":"a","variables":"x","language":""}"#).expect("read");
        assert_eq!((one.values.body, one.language), (vec!["x".to_owned()], None));
    }

    #[test]
    fn values_without_text_are_refused() {
        for wrong in [
            r#"{}"#,
            r#"{"template_name":""}"#,
            r#"{"template_name":["a"]}"#,
            r#"{"template_name":"a","variables":[null]}"#,
            r#"{"template_name":"a","variables":[["x"]]}"#,
            r#"{"template_name":"a","variables":["\u0000"]}"#,
            r#"{"template_name":"a","header_value":{"a":1}}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let many = vec!["x"; limits::TEMPLATE_VALUES_MAX + 1];
        assert!(read(&json!({"template_name": "a", "variables": many}).to_string()).is_err());
        let long = "x".repeat(limits::TEMPLATE_VALUE_CHARS_MAX + 1);
        assert!(read(&json!({"template_name": "a", "variables": [long]}).to_string()).is_err());
    }
}
