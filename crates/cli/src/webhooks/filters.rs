//! The flags that select deliveries.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches};
use confab_domain::webhooks::delivery::ErrorClass;

use super::arguments::{given, kind_flag};

const STANDINGS: [&str; 4] = ["waiting", "parked", "delivered", "failed"];

/// Names of the flags, each with its API field.
const FIELDS: [(&str, &str); 6] = [
    ("kind", "kind"),
    ("standing", "standing"),
    ("error", "error"),
    ("room", "room_id"),
    ("from", "from"),
    ("until", "until"),
];

pub(super) fn filter_flags() -> Vec<Arg> {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let errors = ErrorClass::ALL.map(ErrorClass::as_str);
    vec![
        kind_flag(),
        flag("standing", "STANDING", "Only deliveries in this state")
            .value_parser(PossibleValuesParser::new(STANDINGS)),
        flag("error", "ERROR", "Only deliveries whose last attempt failed with this error")
            .value_parser(PossibleValuesParser::new(errors)),
        room_flag("Only deliveries of this room"),
        flag(
            "from",
            "TIME",
            "Only deliveries created at this time or later, such as 2026-11-15T10:00:00Z",
        ),
        flag(
            "until",
            "TIME",
            "Only deliveries created before this time, such as 2026-11-15T11:00:00Z",
        ),
    ]
}

fn room_flag(help: &'static str) -> Arg {
    Arg::new("room").long("room").value_name("ROOM_ID").help(help)
}

/// Returns the names of the flags.
pub(super) fn filter_names() -> [&'static str; 6] {
    FIELDS.map(|(flag, _)| flag)
}

/// Returns the given filters, by their API fields.
pub(super) fn filters(matches: &ArgMatches) -> Vec<(&'static str, String)> {
    let found = |(flag, field): (&str, &'static str)| Some((field, given(matches, flag)?.into()));
    FIELDS.into_iter().filter_map(found).collect()
}
