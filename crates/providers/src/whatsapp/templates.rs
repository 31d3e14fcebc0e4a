//! WhatsApp's approved templates: reading their list, and the request that sends one
//! (design/channels).

use confab_domain::channels::template::{
    FilledTemplate, Template, TemplateButton, TemplateComponent, TemplateValues, placeholders,
};
use confab_domain::field_problem::FieldProblem;
use confab_domain::json_text::JsonText;
use serde_json::{Value, json};

use crate::json_lookup::{self, Unreadable};

const APPROVED: &str = "APPROVED";

/// A page of an account's templates.
pub struct TemplatePage {
    /// Approved templates.
    pub templates: Vec<Template>,
    /// Cursor of the next page, if there is one.
    pub after: Option<String>,
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

/// Fills in the placeholders of a template, or returns a problem for each wrong field.
pub fn fill(
    template: &Template,
    values: &TemplateValues,
) -> Result<FilledTemplate, Vec<FieldProblem>> {
    let problems = template.problems(values);
    if !problems.is_empty() {
        return Err(problems);
    }
    let header = template.component("HEADER").map(|it| filled(it, "header", values.header()));
    let body = template.component("BODY").map(|it| filled(it, "body", &values.body));
    let texts = [header, body].into_iter().flatten();
    let components: Vec<_> = texts.flatten().chain(buttons_with(template, values)).collect();
    let (name, language) = (template.name.clone(), template.language.clone());
    let content = json!({"name": name, "language": {"code": language}, "components": components});
    let content = JsonText::from_checked(content.to_string());
    Ok(FilledTemplate { name, language, content, text: template.shown(values) })
}

/// Returns the buttons that need a value, filled in and in the format of the API.
fn buttons_with<'a>(
    template: &'a Template,
    values: &'a TemplateValues,
) -> impl Iterator<Item = Value> + 'a {
    let wanting = template.buttons().filter(|(_, button)| button.parameters() > 0);
    wanting.zip(&values.buttons).map(|((place, button), value)| {
        let (kind, parameter) = match button.kind.as_str() {
            "COPY_CODE" => ("copy_code", json!({"type": "coupon_code", "coupon_code": value})),
            _ => ("url", json!({"type": "text", "text": value})),
        };
        json!({"type": "button", "sub_type": kind, "index": place.to_string(),
            "parameters": [parameter]})
    })
}

/// Returns the filled-in component in the format of the API; `None` if the component needs no
/// values.
fn filled(component: &TemplateComponent, kind: &str, values: &[String]) -> Option<Value> {
    if component.parameters() == 0 {
        return None;
    }
    let parameters: Vec<_> = match component.media() {
        Some(media) => {
            values.iter().map(|it| json!({"type": media, media: {"link": it}})).collect()
        }
        None => named_texts(&component.text, values),
    };
    Some(json!({"type": kind, "parameters": parameters}))
}

/// Returns the values of a text's placeholders as parameters of the API, with the names of named
/// placeholders.
fn named_texts(text: &str, values: &[String]) -> Vec<Value> {
    let parameter = |(name, value): (&str, &String)| {
        let mut parameter = json!({"type": "text", "text": value});
        if name.parse::<u32>().is_err() {
            parameter["parameter_name"] = name.into();
        }
        parameter
    };
    placeholders(text).into_iter().zip(values).map(parameter).collect()
}

#[cfg(test)]
mod tests {
    use confab_domain::limits;

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

    fn json_of(filled: &FilledTemplate) -> Value {
        serde_json::from_str(filled.content.as_str()).expect("JSON")
    }

    fn problems(template: &Template, values: &TemplateValues) -> Vec<String> {
        let refused = fill(template, values).expect_err("refused");
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
        let filled = fill(&whole, &values(&["Budi", "{{1}}"], Some("7"), &["a7"])).expect("whole");
        assert_eq!(filled.text, "Order 7\nHi Budi, {{1}} is on its way. Bye, Budi.\nShop");
        let text = |text: &str| json!({"type": "text", "text": text});
        let expected = json!({"name": "order", "language": {"code": "id"}, "components": [
            {"type": "header", "parameters": [text("7")]},
            {"type": "body", "parameters": [text("Budi"), text("{{1}}")]},
            {"type": "button", "sub_type": "url", "index": "1", "parameters": [text("a7")]},
        ]});
        assert_eq!(json_of(&filled), expected);
    }

    #[test]
    fn placeholders_may_have_names_and_a_header_may_be_a_file() {
        let named = template(json!([
            {"type": "HEADER", "format": "IMAGE"},
            {"type": "BODY", "text": "{{shop}} for {{ who }}"},
            {"type": "BUTTONS", "buttons": [{"type": "COPY_CODE", "text": "Copy"}]},
        ]));
        let link = "https://shop.example/a.png";
        let filled = fill(&named, &values(&["Toko", "Budi"], Some(link), &["X1"])).expect("whole");
        assert_eq!(filled.text, format!("{link}\nToko for Budi"));
        let components = &json_of(&filled)["components"];
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
        let filled = fill(&odd, &values(&["x"], None, &[])).expect("whole");
        assert_eq!(filled.text, "{{}} {{a b}} {{1 x }} {{");
    }
}
