//! docs/configuration.md lists exactly the settings that exist.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use confab_runtime::config::SETTINGS;

use crate::support::office::Office;
use crate::support::test_server::TestServer;

const BEGIN: &str = "<!-- settings -->\n";
const END: &str = "<!-- end of settings -->\n";

fn page() -> PathBuf {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md").into()
}

/// Returns the table of the server's settings, generated from the program.
fn table() -> String {
    let mut table = "| key | default | values | what it does |\n|---|---|---|---|\n".to_owned();
    for setting in SETTINGS {
        let default = match setting.default {
            "" => "none".to_owned(),
            default => format!("`{default}`"),
        };
        let flag = if setting.has_flag() { "" } else { " (no flag)" };
        let help = setting.help.replace('|', "\\|");
        let allowed = setting.allowed.replace('|', "\\|");
        let _ = writeln!(table, "| `{}`{flag} | {default} | {allowed} | {help} |", setting.key);
    }
    table
}

#[test]
fn the_page_lists_every_server_setting_as_the_program_defines_it() {
    let text = std::fs::read_to_string(page()).expect("the page");
    let (before, rest) = text.split_once(BEGIN).expect("the start mark");
    let (_, after) = rest.split_once(END).expect("the end mark");
    let expected = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var_os("CONFAB_WRITE_GENERATED").is_some() {
        std::fs::write(page(), &expected).expect("written");
        return;
    }
    assert!(
        text == expected,
        "docs/configuration.md is out of date; regenerate it: CONFAB_WRITE_GENERATED=1 cargo test \
         -p confab-server --test it -- documented_settings"
    );
}

#[tokio::test]
async fn the_page_lists_exactly_the_settings_of_an_app() {
    let server = TestServer::start().await;
    let query = [("show_all", "true")];
    let data = Office::of(&server).get("/api/v2/app/configs", &query).await.data();
    let shown: BTreeSet<_> = data["configs"].as_object().expect("a map").keys().cloned().collect();
    let text = std::fs::read_to_string(page()).expect("the page");
    let of_app = text.split_once("## The server").expect("the section about the server").0;
    let key = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
    let written: BTreeSet<_> = of_app.lines().filter_map(key).collect();
    assert_eq!(written, shown);
}
