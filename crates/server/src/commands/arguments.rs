//! Arguments that several commands have.

use clap::Arg;

/// The argument that names an app.
pub(super) fn app_id(is_required: bool) -> Arg {
    Arg::new("app_id_argument")
        .value_name("APP_ID")
        .required(is_required)
        .help("The app's id: letters, digits, - and _")
}
