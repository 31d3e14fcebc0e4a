//! The documentation of the parameters in paths.

use utoipa::PartialSchema;
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn};
use utoipa::openapi::{RefOr, Required, Schema};

/// Adds the parameters in a path to a call.
pub(super) fn add(path: &str, call: &mut Operation) {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let names = names.filter(|name| *name != "brand");
    let parameters = names.map(|name| {
        let known = PARAMETERS
            .iter()
            .find(|(part, ..)| path.contains(part) && part.contains(&format!("{{{name}}}")));
        let (_, kind, about) = known.unwrap_or_else(|| panic!("{path}: no text for {name}"));
        let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Path);
        let parameter = parameter.required(Required::True).description(Some(*about));
        parameter.schema(Some(kind.schema())).build().into()
    });
    let parameters: Vec<_> = parameters.collect();
    if !parameters.is_empty() {
        call.parameters.get_or_insert_default().splice(0..0, parameters);
    }
}

/// Type of a parameter.
enum Kind {
    Number,
    Text,
}

impl Kind {
    fn schema(&self) -> RefOr<Schema> {
        match self {
            Self::Number => i64::schema(),
            Self::Text => String::schema(),
        }
    }
}

/// Parameters, each in the part of a path by which it is known, the most specific first.
const PARAMETERS: &[(&str, Kind, &str)] = &[
    ("/sign_ins/{id}", Kind::Text, "Sign-in id"),
    ("{sign_in}", Kind::Text, "Sign-in id"),
    ("/agent/{id}", Kind::Number, "Agent id"),
    ("/divisions/{id}", Kind::Number, "Division id"),
    ("/custom_channels/{id}/test", Kind::Number, "Channel id"),
    ("/custom_channels/{id}", Kind::Text, "Channel id"),
    ("/custom_buttons/{id}", Kind::Number, "Button id"),
    ("/canned_replies/{id}", Kind::Number, "Id of the canned reply"),
    ("/notes/{id}", Kind::Text, "Note id"),
    ("/tags/{id}", Kind::Number, "Tag id"),
    ("/deliveries/{id}", Kind::Number, "Delivery id"),
    ("{id}", Kind::Number, "Channel id"),
    ("{app_code}", Kind::Text, "App code"),
    ("{contact_id}", Kind::Number, "Customer id: `contact_id` of a room"),
    ("{property_id}", Kind::Number, "Id of the property"),
    ("{room_id}", Kind::Text, "Room id of the customer"),
    ("{room}", Kind::Text, "Room id of the customer"),
    ("{key}", Kind::Text, "Key of the property"),
    ("/hooks/{kind}", Kind::Text, "Kind of the channel, such as `telegram`; or `meta`"),
    ("/{kind}/{channel_id}", Kind::Text, "Channel id; for `meta` the app code"),
    ("{kind}", Kind::Text, "Kind of webhook, or endpoint id"),
    ("{channel_id}", Kind::Number, "Channel id"),
    ("{message_id}", Kind::Text, "Message id at WhatsApp"),
    ("{media_id}", Kind::Text, "Media id at WhatsApp"),
    ("{delivery_id}", Kind::Number, "`delivery_id` of the press"),
    ("{unique_id}", Kind::Text, "Unique id of the message"),
    ("{tag_id}", Kind::Number, "Tag id"),
    ("{hash}", Kind::Text, "SHA-256 of the file, in hex"),
    ("{name}", Kind::Text, "File name"),
    ("{step}", Kind::Text, "`reveal`, `stage`, `unstage`, `promote`, `retire` or `rotate`"),
];
