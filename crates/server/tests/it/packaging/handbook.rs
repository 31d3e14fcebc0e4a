//! The operator documentation: its `confab` commands parse, its settings exist, and its links work.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use confab_cli::program;
use confab_domain::limits;
use confab_runtime::config::SETTINGS;

use super::text_of;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operating")
}

/// Returns the names and texts of the pages.
fn pages() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder()).expect("pages") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|it| it == "md") {
            let name = path.file_name().and_then(|it| it.to_str()).expect("a name").to_owned();
            found.push((name, std::fs::read_to_string(&path).expect("text")));
        }
    }
    assert!(found.len() >= 10, "{found:?}");
    found
}

/// Returns the lines of all shell blocks, with continued lines joined.
fn shell_lines(text: &str) -> Vec<String> {
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.flat_map(|block| {
        let joined = block.replace("\\\n", " ");
        joined.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    lines.filter(|line| !line.trim_start().starts_with('#')).collect()
}

/// Returns the arguments of each `confab` call in a line.
fn calls(line: &str) -> Vec<Vec<String>> {
    let line = line.split(" #").next().unwrap_or_default();
    let parts = line.split([';', '|', '&']);
    let ours = parts.filter_map(|part| {
        let words: Vec<_> = part.split_whitespace().collect();
        let at = words.iter().position(|word| ["confab", "./confab"].contains(word))?;
        // A call may be preceded by `sudo`, `exec` and environment variables.
        let before = &words[..at];
        let is_call = before
            .iter()
            .all(|word| ["sudo", "-u", "confab", "exec"].contains(word) || word.contains('='));
        let rest = words[at..].iter().skip_while(|word| word.ends_with("confab"));
        is_call.then(|| rest.map(|word| word.to_string()).collect())
    });
    ours.collect()
}

#[test]
fn every_documented_command_parses() {
    let mut count = 0;
    for (name, text) in pages() {
        for line in shell_lines(&text) {
            for call in calls(&line) {
                let arguments = ["confab".to_owned()].into_iter().chain(call.clone());
                let parsed = program().try_get_matches_from(arguments);
                if let Err(error) = parsed {
                    panic!("{name}: confab {}: {error}", call.join(" "));
                }
                count += 1;
            }
        }
    }
    assert!(count > 15, "{count} documented calls");
}

#[test]
fn every_documented_variable_is_a_setting() {
    for (name, text) in pages() {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        for word in words.filter(|word| word.starts_with("CONFAB_")) {
            let is_setting = SETTINGS.iter().any(|setting| setting.variable() == word);
            assert!(is_setting, "{name}: {word} is not a setting");
        }
    }
}

#[test]
fn the_page_about_limits_lists_every_setting_that_is_a_limit() {
    let page = text_of("docs/operating/limits.md");
    let bounds = |setting: &&confab_runtime::config::Setting| {
        let key = setting.key;
        ["_max", "_bytes", "_per_", "_at_once", "_days"].iter().any(|part| key.contains(part))
    };
    let missing: BTreeSet<_> = SETTINGS
        .iter()
        .filter(bounds)
        .filter(|setting| !page.contains(&format!("`{}`", setting.key)))
        .map(|setting| setting.key)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_numbers_on_the_page_about_limits_match_the_program() {
    let page = text_of("docs/operating/limits.md");
    for setting in SETTINGS {
        let row = format!("| `{}` | ", setting.key);
        let Some((_, rest)) = page.split_once(&row) else { continue };
        let whole = rest.split(" |").next().unwrap_or_default().replace(',', "");
        let unit = match whole.split(' ').nth(1) {
            Some("MiB") => 1_u64 << 20,
            Some("GiB") => 1 << 30,
            _ => 1,
        };
        let number = whole.split(' ').next().and_then(|word| word.parse::<u64>().ok());
        match (number, setting.default.parse::<u64>().ok()) {
            (Some(number), Some(default)) => assert_eq!(number * unit, default, "{}", setting.key),
            (None, None) => {}
            _ => panic!("{}: {whole} and {}", setting.key, setting.default),
        }
    }
    for (row, bound) in [
        ("long-lived connections of one user", limits::CONNECTIONS_OF_USER_MAX),
        ("characters of a message", limits::MESSAGE_CHARS_MAX),
        ("bytes of a payload, of extras, of options", limits::PAYLOAD_BYTES_MAX >> 10),
        ("bytes of a JSON body", limits::BODY_BYTES_MAX >> 10),
        ("messages on a page", limits::PAGE_MAX),
        ("messages that one call deletes", limits::DELETE_IDS_MAX),
        ("participants of a room", limits::ROOM_PARTICIPANTS_MAX),
        ("users, rooms or targets named in one call", limits::CALL_USERS_MAX),
        ("buttons of a message, cards of a carousel", limits::BUTTONS_MAX),
        ("channels of an app", limits::CHANNELS_MAX),
        ("agents of an app", limits::CANDIDATES_MAX),
        ("nodes on one PostgreSQL", limits::NODES_MAX as usize),
        ("devices of one user", limits::DEVICES_OF_USER_MAX),
        ("sign-ins of one account at the same time", limits::SIGN_INS_MAX),
        ("time that a request may take", limits::REQUEST_TIMEOUT_MS as usize / 1000),
    ] {
        let (_, rest) = page.split_once(&format!("| {row} | ")).unwrap_or_else(|| panic!("{row}"));
        let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
        assert_eq!(digits.replace(',', ""), bound.to_string(), "{row}");
    }
}

/// Operators are given measured figures only.
#[test]
fn every_figure_on_the_page_about_sizing_is_on_the_page_about_performance() {
    let (page, measured) = (text_of("docs/operating/sizing.md"), text_of("docs/performance.md"));
    let measured = measured.replace(',', "");
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| what"));
    let mut count = 0;
    for row in rows {
        let cells = row.split('|').skip(2).collect::<Vec<_>>().join("|").replace(',', "");
        let words = cells.split(|c: char| !(c.is_ascii_digit() || c == '.'));
        for number in words.filter(|word| word.chars().any(|c| c.is_ascii_digit())) {
            assert!(measured.contains(number), "{number} of {row}");
            count += 1;
        }
    }
    assert!(count > 15, "{count} figures");
}
