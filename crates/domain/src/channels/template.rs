//! Message templates that a provider has approved, and how they are filled in (design/channels).
//!
//! A template is sent by its name and values, and the provider fills it in. This module produces
//! the same text, so that the room shows the text that the customer reads.

use crate::field_problem::FieldProblem;
use crate::json_text::JsonText;
use crate::limits;

/// A message template of a WhatsApp business account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pub name: String,
    /// Language code in WhatsApp's form: `en_US`.
    pub language: String,
    pub category: String,
    pub status: String,
    pub components: Vec<TemplateComponent>,
}

/// A component of a template, such as its header or its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateComponent {
    /// `HEADER`, `BODY`, `FOOTER`, `BUTTONS`, or another kind, which cannot be filled in.
    pub kind: String,
    /// Format of a header: `TEXT`, `IMAGE`, `VIDEO`, `DOCUMENT` and others.
    pub format: Option<String>,
    pub text: String,
    pub buttons: Vec<TemplateButton>,
}

/// A button of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateButton {
    /// `URL`, `QUICK_REPLY`, `PHONE_NUMBER`, `COPY_CODE` and others.
    pub kind: String,
    pub text: String,
    pub url: String,
}

/// Values for the placeholders of a template.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateValues {
    /// Values of the body's placeholders: of numbered ones in the order of their numbers, of named
    /// ones in the order in which the names appear in the text.
    pub body: Vec<String>,
    /// Value of the header's placeholder, or URL of the header's picture, video or document.
    pub header: Option<String>,
    /// Values of the buttons, one for each button that needs a value.
    pub buttons: Vec<String>,
}

/// A template with all placeholders filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct FilledTemplate {
    pub name: String,
    pub language: String,
    /// Template in the format of the provider's API.
    pub content: JsonText,
    /// Text that the customer reads.
    pub text: String,
}

impl TemplateComponent {
    /// Returns the number of values that the component needs, without those of its buttons.
    pub fn parameters(&self) -> usize {
        match (self.kind.as_str(), self.media()) {
            ("HEADER", Some(_)) => 1,
            ("HEADER" | "BODY", None) => placeholders(&self.text).len(),
            _ => 0,
        }
    }

    /// Returns the API's name for the type of the header's file; `None` if the component has no
    /// file.
    pub fn media(&self) -> Option<&'static str> {
        match self.format.as_deref()? {
            "IMAGE" => Some("image"),
            "VIDEO" => Some("video"),
            "DOCUMENT" => Some("document"),
            _ => None,
        }
    }

    fn is_supported(&self) -> bool {
        let is_plain = |it: &TemplateButton| PLAIN_BUTTONS.contains(&it.kind.as_str());
        match self.kind.as_str() {
            "HEADER" => self.media().is_some() || self.format.as_deref().is_none_or(is_text),
            "BODY" | "FOOTER" => true,
            "BUTTONS" => self.buttons.iter().all(is_plain),
            _ => false,
        }
    }
}

fn is_text(format: &str) -> bool {
    format == "TEXT"
}

/// Kinds of buttons that need at most one value.
const PLAIN_BUTTONS: [&str; 8] = [
    "URL",
    "QUICK_REPLY",
    "PHONE_NUMBER",
    "COPY_CODE",
    "OTP",
    "FLOW",
    "VOICE_CALL",
    "CALL_PERMISSION_REQUEST",
];

impl TemplateButton {
    /// Returns the number of values that the button needs: 0 or 1.
    pub fn parameters(&self) -> usize {
        match self.kind.as_str() {
            "COPY_CODE" | "OTP" => 1,
            "URL" => placeholders(&self.url).len().min(1),
            _ => 0,
        }
    }
}

impl Template {
    /// Whether texts alone can fill in the template. Any other template, such as one with several
    /// cards, must be sent in the format of WhatsApp's API.
    pub fn is_supported(&self) -> bool {
        self.components.iter().all(TemplateComponent::is_supported)
    }

    /// Returns the component of this kind.
    pub fn component(&self, kind: &str) -> Option<&TemplateComponent> {
        self.components.iter().find(|it| it.kind == kind)
    }

    /// Returns the buttons with their positions.
    pub fn buttons(&self) -> impl Iterator<Item = (usize, &TemplateButton)> {
        let buttons = self.component("BUTTONS").map_or(&[][..], |it| it.buttons.as_slice());
        buttons.iter().enumerate()
    }

    /// Returns a problem for each field whose values cannot fill in the template.
    pub fn problems(&self, values: &TemplateValues) -> Vec<FieldProblem> {
        if !self.is_supported() {
            let problem = "cannot be filled in by this call; send this template as a message of \
                           the type custom, with all its components";
            return vec![FieldProblem::new(TEMPLATE_NAME, problem)];
        }
        let (header, body) = (self.component("HEADER"), self.component("BODY"));
        let wants = |it: Option<&TemplateComponent>| it.map_or(0, TemplateComponent::parameters);
        let button_wants = self.buttons().map(|(_, it)| it.parameters()).sum();
        let checked = [
            check(HEADER_VALUE, values.header(), wants(header)),
            check(VARIABLES, &values.body, wants(body)),
            check(BUTTON_PARAMS, &values.buttons, button_wants),
        ];
        let mut problems: Vec<_> = checked.into_iter().flatten().collect();
        let is_media = header.is_some_and(|it| it.media().is_some());
        if is_media && !values.header().iter().all(|it| it.starts_with("https://")) {
            let problem = "must be the address of a file, which begins with https://";
            problems.push(FieldProblem::new(HEADER_VALUE, problem));
        }
        let chars_max = limits::MESSAGE_CHARS_MAX;
        if problems.is_empty() && self.shown(values).chars().count() > chars_max {
            let problem = format!("produce a message of more than {chars_max} characters");
            problems.push(FieldProblem::new(VARIABLES, problem));
        }
        problems
    }

    /// Returns the text that the customer reads, line by line.
    pub fn shown(&self, values: &TemplateValues) -> String {
        let header = self.component("HEADER").and_then(|it| match it.media() {
            Some(_) => values.header.clone(),
            None => Some(filled_text(&it.text, values.header())),
        });
        let body = self.component("BODY").map(|it| filled_text(&it.text, &values.body));
        let footer = self.component("FOOTER").map(|it| it.text.clone());
        let lines = [header, body, footer].into_iter().flatten().filter(|it| !it.is_empty());
        let text = lines.collect::<Vec<_>>().join("\n");
        // A template that contains only a file or a code is shown by its name.
        if text.is_empty() { self.name.clone() } else { text }
    }
}

impl TemplateValues {
    /// Returns the values of the header: none or one.
    pub fn header(&self) -> &[String] {
        self.header.as_slice()
    }
}

/// Names of the request fields in the problems that [`Template::problems`] returns.
const TEMPLATE_NAME: &str = "template_name";
const VARIABLES: &str = "variables";
const HEADER_VALUE: &str = "header_value";
const BUTTON_PARAMS: &str = "button_params";

/// Returns a problem unless `values` has the wanted number of values and WhatsApp accepts each of
/// them.
fn check(field: &str, values: &[String], wanted: usize) -> Option<FieldProblem> {
    let problem = |problem: String| Some(FieldProblem::new(field, problem));
    if values.len() != wanted {
        return problem(format!("has {} values; the template needs {wanted}", values.len()));
    }
    let is_odd = |it: &String| it.contains(['\n', '\r', '\t']) || it.contains("     ");
    if values.iter().any(|it| it.trim().is_empty()) {
        return problem("must not have an empty value".to_owned());
    }
    if values.iter().any(is_odd) {
        return problem("must not contain line breaks, tabs or five consecutive spaces".to_owned());
    }
    None
}

/// Returns the names of the placeholders in a text, `{{1}}` or `{{name}}`, without duplicates:
/// numbers in ascending order, names in order of appearance.
pub fn placeholders(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for piece in text.split("{{").skip(1) {
        let Some((name, _)) = piece.split_once("}}") else { continue };
        let name = name.trim();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.is_empty() && name.chars().all(is_name) && !found.contains(&name) {
            found.push(name);
        }
    }
    if found.iter().all(|name| number(name).is_some()) {
        found.sort_by_key(|name| number(name));
    }
    found
}

fn number(name: &str) -> Option<u32> {
    name.parse().ok()
}

/// Fills in the placeholders of a text. Placeholders in values are not replaced.
fn filled_text(text: &str, values: &[String]) -> String {
    let names = placeholders(text);
    let mut pieces = text.split("{{");
    let mut filled = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let named = piece.split_once("}}").and_then(|(name, rest)| {
            let place = names.iter().position(|it| *it == name.trim())?;
            Some((values.get(place)?, rest))
        });
        match named {
            Some((value, rest)) => {
                filled.push_str(value);
                filled.push_str(rest);
            }
            None => {
                filled.push_str("{{");
                filled.push_str(piece);
            }
        }
    }
    filled
}
