//! Approved WhatsApp templates, and how they are filled in (design/channels).
//!
//! A template is sent by its name and values, and WhatsApp fills it in. This module produces the
//! same text, so that the room shows the text that the customer reads.

use confab_domain::field_problem::FieldProblem;
use confab_domain::limits;
use serde_json::{Value, json};

use crate::channels::json_lookup::{self, Unreadable};

const APPROVED: &str = "APPROVED";

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
    /// `HEADER`, `BODY`, `FOOTER`, `BUTTONS`, or another kind, which [`Template::fill`] does not
    /// support.
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

/// A page of an account's templates.
pub struct TemplatePage {
    /// Approved templates.
    pub templates: Vec<Template>,
    /// Cursor of the next page, if there is one.
    pub after: Option<String>,
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
    /// Template in the format of WhatsApp's API.
    pub content: Value,
    /// Text that the customer reads.
    pub text: String,
}

/// Reads a page of templates; those that are not approved are skipped.
pub fn read_templates(raw: &[u8]) -> Result<TemplatePage, Unreadable> {
    let page = json_lookup::parsed(raw)?;
    let data = page["data"].as_array().ok_or(Unreadable("does not contain a list of templates"))?;
    let templates = data.iter().filter_map(read_template).collect();
    // The last page has a cursor as well, but no next page.
    let has_next = json_lookup::text(&page["paging"]["next"]).is_some();
    let after = json_lookup::text(&page["paging"]["cursors"]["after"]).filter(|_| has_next);
    Ok(TemplatePage { templates, after })
}

fn read_template(json: &Value) -> Option<Template> {
    let word = |key: &str| json_lookup::text(&json[key]);
    let template = Template {
        name: word("name")?,
        language: word("language")?,
        category: word("category").unwrap_or_default(),
        status: word("status").unwrap_or_default(),
        components: json_lookup::list(&json["components"]).iter().map(read_component).collect(),
    };
    (template.status == APPROVED).then_some(template)
}

fn read_component(json: &Value) -> TemplateComponent {
    let word = |key: &str| json_lookup::text(&json[key]);
    let button = |button: &Value| {
        let word = |key: &str| json_lookup::text(&button[key]).unwrap_or_default();
        TemplateButton { kind: word("type"), text: word("text"), url: word("url") }
    };
    TemplateComponent {
        kind: word("type").unwrap_or_default(),
        format: word("format"),
        text: word("text").unwrap_or_default(),
        buttons: json_lookup::list(&json["buttons"]).iter().map(button).collect(),
    }
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
    fn media(&self) -> Option<&'static str> {
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

    fn component(&self, kind: &str) -> Option<&TemplateComponent> {
        self.components.iter().find(|it| it.kind == kind)
    }

    fn buttons(&self) -> impl Iterator<Item = (usize, &TemplateButton)> {
        let buttons = self.component("BUTTONS").map_or(&[][..], |it| it.buttons.as_slice());
        buttons.iter().enumerate()
    }

    /// Fills in the placeholders, or returns a problem for each wrong field.
    pub fn fill(&self, values: &TemplateValues) -> Result<FilledTemplate, Vec<FieldProblem>> {
        if !self.is_supported() {
            let problem = "cannot be filled in by this call; send this template as a message of \
                           the type custom, with all its components";
            return Err(vec![FieldProblem::new(TEMPLATE_NAME, problem)]);
        }
        let problems = self.problems(values);
        if !problems.is_empty() {
            return Err(problems);
        }
        let header = self.component("HEADER").map(|it| it.filled("header", values.header()));
        let body = self.component("BODY").map(|it| it.filled("body", &values.body));
        let texts = [header, body].into_iter().flatten();
        let components: Vec<_> = texts.flatten().chain(self.buttons_with(values)).collect();
        let content = json!({"name": self.name, "language": {"code": self.language},
            "components": components});
        Ok(FilledTemplate { content, text: self.shown(values) })
    }

    fn problems(&self, values: &TemplateValues) -> Vec<FieldProblem> {
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

    /// Returns the buttons that need a value, filled in and in the format of the API.
    fn buttons_with<'a>(&'a self, values: &'a TemplateValues) -> impl Iterator<Item = Value> + 'a {
        let wanting = self.buttons().filter(|(_, button)| button.parameters() > 0);
        wanting.zip(&values.buttons).map(|((place, button), value)| {
            let (kind, parameter) = match button.kind.as_str() {
                "COPY_CODE" => ("copy_code", json!({"type": "coupon_code", "coupon_code": value})),
                _ => ("url", json!({"type": "text", "text": value})),
            };
            json!({"type": "button", "sub_type": kind, "index": place.to_string(),
                "parameters": [parameter]})
        })
    }

    /// Returns the text that the customer reads, line by line.
    fn shown(&self, values: &TemplateValues) -> String {
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

impl TemplateComponent {
    /// Returns the filled-in component in the format of the API; `None` if the component needs no
    /// values.
    fn filled(&self, kind: &str, values: &[String]) -> Option<Value> {
        if self.parameters() == 0 {
            return None;
        }
        let parameters: Vec<_> = match self.media() {
            Some(media) => {
                values.iter().map(|it| json!({"type": media, media: {"link": it}})).collect()
            }
            None => named_texts(&self.text, values),
        };
        Some(json!({"type": kind, "parameters": parameters}))
    }
}

impl TemplateValues {
    fn header(&self) -> &[String] {
        self.header.as_slice()
    }
}

/// Names of the request fields in the problems that [`Template::fill`] returns.
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
fn placeholders(text: &str) -> Vec<&str> {
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

/// Returns the values of a text's placeholders as parameters of the API, with the names of named
/// placeholders.
fn named_texts(text: &str, values: &[String]) -> Vec<Value> {
    let parameter = |(name, value): (&str, &String)| {
        let mut parameter = json!({"type": "text", "text": value});
        if number(name).is_none() {
            parameter["parameter_name"] = name.into();
        }
        parameter
    };
    placeholders(text).into_iter().zip(values).map(parameter).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn template(components: Value) -> Template {
        let listed = json!({"data": [{"name": "order", "language": "id", "category": "UTILITY",
            "status": "APPROVED", "components": components}]});
        let page = read_templates(listed.to_string().as_bytes()).expect("a page");
        page.templates.into_iter().next().expect("a template")
    }

    fn values(body: &[&str], header: Option<&str>, buttons: &[&str]) -> TemplateValues {
        let texts = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect();
        let header = header.map(str::to_owned);
        TemplateValues { body: texts(body), header, buttons: texts(buttons) }
    }

    fn problems(template: &Template, values: &TemplateValues) -> Vec<String> {
        let refused = template.fill(values).expect_err("refused");
        refused.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_page_has_approved_templates_and_a_cursor_only_if_there_are_more() {
        let one = |name: &str, status: &str| {
            let category = "MARKETING";
            json!({"name": name, "language": "en_US", "status": status, "category": category})
        };
        let mut page = json!({
            "data": [one("a", "APPROVED"), one("b", "REJECTED"), {"name": 7}, null],
            "paging": {"cursors": {"before": "x", "after": "y"}, "next": "https://graph"},
        });
        let read = read_templates(page.to_string().as_bytes()).expect("a page");
        let names: Vec<_> = read.templates.iter().map(|it| it.name.as_str()).collect();
        assert_eq!((names, read.after.as_deref()), (vec!["a"], Some("y")));
        page["paging"]["next"].take();
        let read = read_templates(page.to_string().as_bytes()).expect("a page");
        assert_eq!(read.after, None);
        assert!(read_templates(b"{}").is_err());
        assert!(read_templates(b"<html>").is_err());
    }

    #[test]
    fn placeholders_are_filled_in_and_shown() {
        let whole = template(json!([
            {"type": "HEADER", "format": "TEXT", "text": "Order {{1}}"},
            {"type": "BODY", "text": "Hi {{1}}, {{2}} is on its way. Bye, {{1}}."},
            {"type": "FOOTER", "text": "Shop"},
            {"type": "BUTTONS", "buttons": [
                {"type": "QUICK_REPLY", "text": "Thanks"},
                {"type": "URL", "text": "Track", "url": "https://shop.example/{{1}}"},
            ]},
        ]));
        let filled = whole.fill(&values(&["Budi", "{{1}}"], Some("7"), &["a7"])).expect("whole");
        assert_eq!(filled.text, "Order 7\nHi Budi, {{1}} is on its way. Bye, Budi.\nShop");
        let text = |text: &str| json!({"type": "text", "text": text});
        let expected = json!({"name": "order", "language": {"code": "id"}, "components": [
            {"type": "header", "parameters": [text("7")]},
            {"type": "body", "parameters": [text("Budi"), text("{{1}}")]},
            {"type": "button", "sub_type": "url", "index": "1", "parameters": [text("a7")]},
        ]});
        assert_eq!(filled.content, expected);
    }

    #[test]
    fn placeholders_may_have_names_and_a_header_may_be_a_file() {
        let named = template(json!([
            {"type": "HEADER", "format": "IMAGE"},
            {"type": "BODY", "text": "{{shop}} for {{ who }}"},
            {"type": "BUTTONS", "buttons": [{"type": "COPY_CODE", "text": "Copy"}]},
        ]));
        let link = "https://shop.example/a.png";
        let filled = named.fill(&values(&["Toko", "Budi"], Some(link), &["X1"])).expect("whole");
        assert_eq!(filled.text, format!("{link}\nToko for Budi"));
        let components = &filled.content["components"];
        assert_eq!(
            components[0]["parameters"][0],
            json!({"type": "image",
            "image": {"link": link}})
        );
        assert_eq!(components[1]["parameters"][1]["parameter_name"], "who");
        assert_eq!(components[2]["parameters"][0]["coupon_code"], "X1");
        let wrong = problems(&named, &values(&["a", "b"], Some("ftp://x"), &["c"]));
        assert_eq!(wrong.len(), 1, "{wrong:?}");
    }

    #[test]
    fn every_wrong_field_is_reported() {
        let plain = template(json!([{"type": "BODY", "text": "Hi {{1}} and {{2}}"}]));
        assert_eq!(
            problems(&plain, &values(&["a"], Some("x"), &["y"])),
            [
                "header_value has 1 values; the template needs 0",
                "variables has 1 values; the template needs 2",
                "button_params has 1 values; the template needs 0",
            ]
        );
        for odd in ["", "  ", "a\nb", "a\tb", "a     b"] {
            assert_eq!(problems(&plain, &values(&["a", odd], None, &[])).len(), 1, "{odd:?}");
        }
        let long = "x".repeat(limits::MESSAGE_CHARS_MAX);
        assert_eq!(problems(&plain, &values(&["a", &long], None, &[])).len(), 1);
        let cards = template(json!([{"type": "BODY", "text": "a"}, {"type": "CAROUSEL"}]));
        assert!(!cards.is_supported());
        assert!(
            problems(&cards, &values(&[], None, &[]))[0].starts_with("template_name cannot be")
        );
    }

    #[test]
    fn braces_without_a_placeholder_are_preserved() {
        let odd = template(json!([{"type": "BODY", "text": "{{}} {{a b}} {{1 {{2}} }} {{"}]));
        let filled = odd.fill(&values(&["x"], None, &[])).expect("whole");
        assert_eq!(filled.text, "{{}} {{a b}} {{1 x }} {{");
    }
}
