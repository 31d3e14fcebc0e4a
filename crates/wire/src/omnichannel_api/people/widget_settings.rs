//! Appearance and texts of an app's widget, and the fields that visitors fill in (design/pages).

use std::collections::{BTreeMap, BTreeSet};

use confab_domain::app::App;
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use confab_domain::support::settings::{Settings, VisitorProof};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::body::Body;
use crate::fields::kind::Field;
use crate::fields::{Flag, Label, Properties, Texts, field};
use crate::reading::{FieldJson, FieldReader, Object};
use crate::request::request;

/// Languages of the widget; the first one is the fallback.
pub const LANGUAGES: [&str; 2] = ["en", "id"];

/// The appearance, texts and form fields of a widget, as stored in the app's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Look {
    theme: WidgetTheme,
    texts: BTreeMap<String, WidgetTexts>,
    fields: Vec<PreChatField>,
}

impl Look {
    /// Returns the stored settings, or the default if they are absent or invalid.
    fn of(settings: &Settings) -> Self {
        let stored = settings.get(Settings::WIDGET);
        stored.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
    }
}

/// Colors and position of the widget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WidgetTheme {
    /// Color of the launcher, the title and the customer's own messages.
    #[schema(example = "#0b6bcb")]
    colour: String,
    /// Side of the launcher at the bottom of the page: `start` or `end` of a line.
    #[schema(example = "end")]
    position: String,
    /// Color scheme: `auto` for the preference of the page or system, `light` or `dark`.
    #[schema(example = "auto")]
    scheme: String,
}

impl Default for WidgetTheme {
    fn default() -> Self {
        let [colour, position, scheme] = ["#0b6bcb", "end", "auto"].map(str::to_owned);
        Self { colour, position, scheme }
    }
}

/// Texts of the widget in one language, which replace the built-in ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WidgetTexts {
    /// Title above the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Text before the first message.
    #[serde(skip_serializing_if = "Option::is_none")]
    welcome: Option<String>,
    /// Text while no agent is available.
    #[serde(skip_serializing_if = "Option::is_none")]
    away: Option<String>,
}

/// A field that visitors fill in before they write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PreChatField {
    /// `name` for the visitor's name; any other key is stored as a property of the customer.
    #[schema(example = "name")]
    key: String,
    /// Label of the field, by language.
    label: BTreeMap<String, String>,
    /// `text`, `email` or `phone`.
    #[schema(example = "text")]
    r#type: String,
    is_required: bool,
}

request! {
    /// Body of `PUT /api/v2/widget_settings`. Absent fields get their defaults.
    pub struct WidgetSettingsFields as "SetWidgetSettings" {
        /// Colors and position: `{colour, position, scheme}`.
        theme: Theme, or WidgetTheme::default();
        /// Texts by language (`en`, `id`): `{title, welcome, away}`.
        texts: TextsByLanguage, or BTreeMap::new();
        /// Fields that visitors fill in first: a list of `{key, label, type, is_required}`.
        fields: PreChatFields, or vec![];
        /// Origins whose pages may show the widget; all if empty.
        allowed_origins: Origins, or vec![];
        /// Whether customers need an identity token from the page's server to write (D-0070).
        is_identity_required: Flag, or false, default = || false.into();
    }
}

/// Parses the settings of the widget and returns them by name. `before` contains the app's current
/// settings.
pub fn read_widget_settings(
    body: &Body<'_>,
    before: &Settings,
) -> Result<Vec<(&'static str, String)>, Refusal> {
    let wanted: WidgetSettingsFields = body.read()?;
    let look = Look { theme: wanted.theme, texts: wanted.texts, fields: wanted.fields };
    let proof = match (wanted.is_identity_required, before.visitor_proof()) {
        (true, _) => "identity_token",
        (false, VisitorProof::IdentityToken) => "none",
        (false, _) => before.choice(Settings::VISITOR_PROOF),
    };
    Ok(vec![
        (Settings::WIDGET, serde_json::to_string(&look).unwrap_or_default()),
        (Settings::WIDGET_ORIGINS, wanted.allowed_origins.join(" ")),
        (Settings::VISITOR_PROOF, proof.to_owned()),
    ])
}

field! {
    Theme -> WidgetTheme, Properties::SHAPE;
    |reading, field, given| {
        let object = reading.object(field, given)?;
        let default = WidgetTheme::default();
        Some(WidgetTheme {
            colour: colour(reading, &object).unwrap_or(default.colour),
            position: word(reading, &object, "position", &["end", "start"]),
            scheme: word(reading, &object, "scheme", &["auto", "light", "dark"]),
        })
    }
}

/// Parses a color: `#` and six hexadecimal digits, converted to lower case.
fn colour(reading: &mut FieldReader, object: &Object<'_>) -> Option<String> {
    let path = object.path("colour");
    let text = reading.filled_text(&path, object.get("colour"))?.to_lowercase();
    let digits = text.strip_prefix('#').unwrap_or_default();
    if digits.len() != 6 || !digits.bytes().all(|it| it.is_ascii_hexdigit()) {
        return reading.wrong(&path, "must be a color such as #0b6bcb");
    }
    Some(text)
}

/// Parses the field `key`, whose value must be one of `words`. An absent field means the first one.
fn word(reading: &mut FieldReader, object: &Object<'_>, key: &str, words: &[&str]) -> String {
    let path = object.path(key);
    let given = reading.filled_text(&path, object.get(key));
    let word = given.unwrap_or_else(|| words[0].to_owned());
    if !words.contains(&word.as_str()) {
        reading.wrong::<()>(&path, format!("must be {}", words.join(" or ")));
    }
    word
}

field! {
    TextsByLanguage -> BTreeMap<String, WidgetTexts>, Properties::SHAPE;
    |reading, field, given| {
        let object = reading.object(field, given)?;
        must_be_languages(reading, field, &object);
        let mut texts = BTreeMap::new();
        for language in LANGUAGES.iter().filter(|it| object.has(it)) {
            let posted = reading.object(&object.path(language), object.get(language))?;
            let mut text = |key: &str| {
                let max = limits::WIDGET_TEXT_CHARS_MAX;
                let text = reading.short_text(&posted.path(key), posted.get(key), max);
                text.filter(|text| !text.trim().is_empty())
            };
            let posted = WidgetTexts {
                title: text("title"),
                welcome: text("welcome"),
                away: text("away"),
            };
            texts.insert((*language).to_owned(), posted);
        }
        Some(texts)
    }
}

fn must_be_languages(reading: &mut FieldReader, field: &str, object: &Object<'_>) {
    if object.keys().any(|key| !LANGUAGES.contains(&key)) {
        let problem = format!("must have only the languages {}", LANGUAGES.join(" and "));
        reading.wrong::<()>(field, problem);
    }
}

field! {
    PreChatFields -> Vec<PreChatField>, Properties::SHAPE;
    |reading, field, given| {
        if given.is_empty_list() {
            return None;
        }
        let items = reading.items(field, given, limits::WIDGET_FIELDS_MAX)?;
        let mut fields = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            fields.push(pre_chat_field(reading, &format!("{field}[{at}]"), item));
        }
        let fields: Vec<_> = fields.into_iter().collect::<Option<_>>()?;
        let keys: BTreeSet<_> = fields.iter().map(|field| &field.key).collect();
        if keys.len() < fields.len() {
            return reading.wrong(field, "must not repeat a key");
        }
        Some(fields)
    }
}

fn pre_chat_field(
    reading: &mut FieldReader,
    path: &str,
    given: FieldJson<'_>,
) -> Option<PreChatField> {
    let object = reading.object(path, given)?;
    let key_path = object.path("key");
    let key = Label::<{ limits::LABEL_CHARS_MAX }>::read(reading, &key_path, object.get("key"));
    let key = reading.needed(&key_path, key);
    let flag_path = object.path("is_required");
    let is_required = reading.boolean(&flag_path, object.get("is_required")).unwrap_or(false);
    let r#type = word(reading, &object, "type", &["text", "email", "phone"]);
    let label = labels(reading, &object).unwrap_or_default();
    Some(PreChatField { key: key?, label, r#type, is_required })
}

fn labels(reading: &mut FieldReader, of: &Object<'_>) -> Option<BTreeMap<String, String>> {
    let path = of.path("label");
    let object = reading.object(&path, of.get("label"))?;
    must_be_languages(reading, &path, &object);
    let mut label = |language: &&str| {
        let (path, given) = (object.path(language), object.get(language));
        let text = reading.name(&path, given, limits::LABEL_CHARS_MAX);
        Some(((*language).to_owned(), text.filter(|text| !text.trim().is_empty())?))
    };
    Some(LANGUAGES.iter().filter_map(&mut label).collect())
}

field! {
    /// Web origins: a scheme, a host and optionally a port.
    Origins -> Vec<String>, Texts::SHAPE;
    |reading, field, given| {
        let given = Texts::read(reading, field, given)?;
        if given.len() > limits::WIDGET_ORIGINS_MAX {
            let most = limits::WIDGET_ORIGINS_MAX;
            return reading.wrong(field, format!("must have at most {most} items"));
        }
        let origins: Option<Vec<_>> = given.iter().map(|text| origin(text)).collect();
        let problem = "must be origins such as https://shop.example.com, without a path";
        origins.or_else(|| reading.wrong(field, problem))
    }
}

/// Converts an origin to the notation of browsers; `None` if it is not valid.
fn origin(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('/').to_lowercase();
    let (scheme, host) = text.split_once("://")?;
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
    let is_fine = matches!(scheme, "http" | "https")
        && !host.is_empty()
        && text.len() <= limits::WIDGET_TEXT_CHARS_MAX
        && host.bytes().all(is_host);
    let own_port = if scheme == "https" { ":443" } else { ":80" };
    is_fine.then(|| text.strip_suffix(own_port).unwrap_or(&text).to_owned())
}

/// Response data with the settings of the widget.
#[derive(Debug, Serialize, ToSchema)]
pub struct WidgetSettingsBox<'a> {
    widget: WidgetSettingsShape<'a>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WidgetSettings)]
struct WidgetSettingsShape<'a> {
    theme: WidgetTheme,
    /// Texts of the widget, by language.
    texts: BTreeMap<String, WidgetTexts>,
    fields: Vec<PreChatField>,
    allowed_origins: Vec<&'a str>,
    is_identity_required: bool,
}

/// Returns the settings of the widget for admins.
pub fn widget_settings(settings: &Settings) -> WidgetSettingsBox<'_> {
    let Look { theme, texts, fields } = Look::of(settings);
    WidgetSettingsBox {
        widget: WidgetSettingsShape {
            theme,
            texts,
            fields,
            allowed_origins: settings.widget_origins().collect(),
            is_identity_required: settings.visitor_proof() == VisitorProof::IdentityToken,
        },
    }
}

/// The public settings that a page needs to show the widget. None of them is secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct PublicWidget<'a> {
    app: WidgetApp<'a>,
    /// Brand: the prefix of header names and of some paths, in lower case.
    #[schema(example = "service")]
    brand: &'a str,
    #[schema(value_type = String, example = "0.1.0")]
    version: &'a str,
    theme: WidgetTheme,
    #[schema(value_type = Vec<String>)]
    languages: [&'static str; 2],
    /// Texts of the widget, by language.
    texts: BTreeMap<String, WidgetTexts>,
    fields: Vec<PreChatField>,
    upload: WidgetUpload<'a>,
    is_identity_required: bool,
    /// Whether the office is open and an agent accepts customers now.
    is_anybody_there: bool,
    /// Whether a customer who writes again after their conversation was resolved gets a new room.
    is_sessional: bool,
}

#[derive(Debug, Serialize, ToSchema)]
struct WidgetApp<'a> {
    code: &'a str,
    name: &'a str,
}

#[derive(Debug, Serialize, ToSchema)]
struct WidgetUpload<'a> {
    max_bytes: u64,
    /// Allowed file name extensions of uploads; all if empty.
    #[schema(example = json!(["png", "pdf"]))]
    types: &'a [String],
}

/// The values of [`PublicWidget`] that do not come from the app's settings.
pub struct WidgetSurroundings<'a> {
    pub brand: &'a str,
    pub version: &'a str,
    pub upload_max_bytes: u64,
    pub upload_types: &'a [String],
    pub is_anybody_there: bool,
}

/// Returns the public settings of an app's widget.
pub fn public_widget<'a>(
    app: &'a App,
    settings: &Settings,
    around: &WidgetSurroundings<'a>,
) -> PublicWidget<'a> {
    let Look { theme, texts, fields } = Look::of(settings);
    PublicWidget {
        app: WidgetApp { code: app.code.as_str(), name: &app.name },
        brand: around.brand,
        version: around.version,
        theme,
        languages: LANGUAGES,
        texts,
        fields,
        upload: WidgetUpload { max_bytes: around.upload_max_bytes, types: around.upload_types },
        is_identity_required: settings.visitor_proof() == VisitorProof::IdentityToken,
        is_anybody_there: around.is_anybody_there,
        is_sessional: settings.is_on(Settings::IS_SESSIONAL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(&'static str, String)>, Refusal> {
        let body = Body::from_json(text.as_bytes()).expect("JSON");
        read_widget_settings(&body, &Settings::default())
    }

    fn set(text: &str) -> Settings {
        let set = read(text).expect("read");
        Settings::from_stored(set.into_iter().map(|(name, value)| (name.to_owned(), value)))
    }

    #[test]
    fn widget_settings_are_shown_as_they_were_set() {
        let given = r##"{
            "theme": {"colour": "#0B6B00", "position": "start", "scheme": "dark"},
            "texts": {"id": {"title": "Halo", "welcome": ""}},
            "fields": [{"key": "name", "label": {"en": "Name"}, "is_required": true}],
            "allowed_origins": ["https://Shop.example.com/", "http://localhost:8080"],
            "is_identity_required": true
        }"##;
        let settings = set(given);
        let shown = serde_json::to_value(widget_settings(&settings)).expect("JSON");
        let expected = serde_json::json!({"widget": {
            "theme": {"colour": "#0b6b00", "position": "start", "scheme": "dark"},
            "texts": {"id": {"title": "Halo"}},
            "fields": [
                {"key": "name", "label": {"en": "Name"}, "type": "text", "is_required": true},
            ],
            "allowed_origins": ["https://shop.example.com", "http://localhost:8080"],
            "is_identity_required": true,
        }});
        assert_eq!(shown, expected);
    }

    #[test]
    fn absent_widget_settings_have_their_defaults() {
        let shown = |settings: &Settings| serde_json::to_value(widget_settings(settings)).ok();
        assert_eq!(shown(&set("{}")), shown(&Settings::default()));
    }

    #[test]
    fn the_visitor_proof_changes_only_if_identity_was_required() {
        let after = |before: &str| {
            let before = Settings::default().with(Settings::VISITOR_PROOF, before);
            let body = Body::from_json(b"{}").expect("JSON");
            let set = read_widget_settings(&body, &before).expect("read");
            set.into_iter().find(|(name, _)| *name == Settings::VISITOR_PROOF).map(|it| it.1)
        };
        assert_eq!(after("secret").as_deref(), Some("secret"));
        assert_eq!(after("identity_token").as_deref(), Some("none"));
    }

    #[test]
    fn invalid_widget_settings_are_reported_by_field() {
        for (wrong, field) in [
            (r#"{"theme": {"colour": "red"}}"#, "theme.colour"),
            (r##"{"theme": {"colour": "#12345g"}}"##, "theme.colour"),
            (r#"{"theme": {"position": "left"}}"#, "theme.position"),
            (r#"{"theme": 7}"#, "theme"),
            (r#"{"texts": {"xx": {}}}"#, "texts"),
            (r#"{"texts": {"en": {"title": 7}}}"#, "texts.en.title"),
            (r#"{"fields": [{"label": {"en": "Name"}}]}"#, "fields[0].key"),
            (r#"{"fields": [{"key": "a", "type": "date"}]}"#, "fields[0].type"),
            (r#"{"fields": [{"key": "a"}, {"key": "a"}]}"#, "fields"),
            (r#"{"allowed_origins": ["shop.example.com"]}"#, "allowed_origins"),
            (r#"{"allowed_origins": ["https://shop.example.com/path"]}"#, "allowed_origins"),
            (r#"{"allowed_origins": ["https://a.example; script-src *"]}"#, "allowed_origins"),
            (r#"{"allowed_origins": ["javascript://x"]}"#, "allowed_origins"),
        ] {
            let Err(Refusal::Invalid(problems)) = read(wrong) else { panic!("accepted: {wrong}") };
            assert_eq!(problems.first().map(|it| it.field.as_str()), Some(field), "{wrong}");
        }
    }
}
