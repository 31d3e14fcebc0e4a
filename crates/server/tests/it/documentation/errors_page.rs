//! docs/errors.md lists every error code. Codes and statuses come from the source files, meanings
//! and advice from the table of codes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use super::check_page;
use super::error_codes::CODES;

const INTRO: &str = "\
# Errors

<!-- Made from the program: CONFAB_WRITE_GENERATED=1 cargo test --test it \
-- documentation -->

A failed request has a status, and a JSON body with a `code` for programs. Codes and statuses do
not change ([what a version promises](versions.md)); the text in `message` may become clearer.
There are two formats:

| API | body |
|---|---|
| message API (`/api/v2.1/rest`, `/api/v2/rest`), clients (`/api/v2/sdk`), realtime, files | \
`{\"error\": {\"message\", \"detailed_messages\", \"code\", \"request_id\"}, \"status\"}` |
| omnichannel API and webhook API (`/api/v1`, `/api/v2`, `/{app_code}/…`, `/bot/…`) | \
`{\"errors\": {\"message\", \"code\", \"detailed_messages\"}, \"status\"}` |

`detailed_messages` has one sentence for each wrong field. Errors of calls below `/whatsapp/` have
the format of Meta's API, with the code in `error.type`. The server's log has the value of the
header `x-request-id`. If a failure has the header `Retry-After`, wait for that many seconds.
[The message API](message-api.md) and `/docs` list the statuses of each call.

| code | status | meaning | what to do |
|---|---|---|---|
";

/// Codes whose status is not next to them in the source.
const CHOSEN: [(u16, &str); 4] = [
    (503, "store_damaged"),
    (503, "store_unavailable"),
    (429, "too_many_bodies"),
    (503, "too_many_bodies"),
];

const STATUSES: [(&str, u16); 14] = [
    ("BAD_REQUEST", 400),
    ("UNAUTHORIZED", 401),
    ("FORBIDDEN", 403),
    ("NOT_FOUND", 404),
    ("METHOD_NOT_ALLOWED", 405),
    ("REQUEST_TIMEOUT", 408),
    ("CONFLICT", 409),
    ("PAYLOAD_TOO_LARGE", 413),
    ("UNSUPPORTED_MEDIA_TYPE", 415),
    ("RANGE_NOT_SATISFIABLE", 416),
    ("TOO_MANY_REQUESTS", 429),
    ("INTERNAL_SERVER_ERROR", 500),
    ("SERVICE_UNAVAILABLE", 503),
    ("GATEWAY_TIMEOUT", 504),
];

type Statuses = BTreeMap<String, BTreeSet<u16>>;

/// Returns the error codes in the source files, with their statuses.
fn codes_of_sources() -> Statuses {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Statuses::new();
    let refusals = std::fs::read_to_string(crates.join("wire/src/refusal.rs")).expect("read");
    for (status, rest) in refusals.split('(').filter_map(|part| part.split_once(", ")) {
        if let (Ok(status), Some(code)) = (status.parse(), code_at(rest)) {
            found.entry(code).or_default().insert(status);
        }
    }
    for krate in ["app/src", "http/src"] {
        add_problems(&crates.join(krate), &mut found);
    }
    for (status, code) in CHOSEN {
        found.entry(code.to_owned()).or_default().insert(status);
    }
    found
}

fn add_problems(folder: &Path, found: &mut Statuses) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        if path.is_dir() && name != "tests" {
            add_problems(&path, found);
        }
        if !name.ends_with(".rs") || name == "tests.rs" {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("read");
        let shipped = text.split("mod tests {").next().unwrap_or_default();
        for part in shipped.split("StatusCode::").skip(1) {
            let end = part.find(|c: char| !c.is_ascii_uppercase() && c != '_');
            let (status, rest) = part.split_at(end.unwrap_or(part.len()));
            let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "=>{(,".contains(c));
            let status = STATUSES.iter().find(|(name, _)| *name == status);
            if let (Some((_, status)), Some(code)) = (status, code_at(rest)) {
                found.entry(code).or_default().insert(*status);
            }
        }
    }
}

/// Returns the error code at the start of a source text.
fn code_at(text: &str) -> Option<String> {
    let (code, _) = text.strip_prefix('"')?.split_once('"')?;
    let is_code = !code.is_empty() && code.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    is_code.then(|| code.to_owned())
}

#[test]
fn every_error_code_of_the_source_and_no_other_is_documented() {
    let found: BTreeSet<_> = codes_of_sources().into_keys().collect();
    let explained: BTreeSet<_> = CODES.iter().map(|(code, ..)| (*code).to_owned()).collect();
    let missing: Vec<_> = found.difference(&explained).collect();
    let gone: Vec<_> = explained.difference(&found).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "documentation/error_codes.rs lacks {missing:?} and has {gone:?}, which no source has"
    );
    assert!(CODES.is_sorted_by(|(one, ..), (other, ..)| one < other));
}

#[test]
fn the_errors_page_is_up_to_date() {
    let statuses = codes_of_sources();
    let mut page = INTRO.to_owned();
    for (code, meaning, advice) in CODES {
        let statuses: Vec<_> =
            statuses.get(*code).into_iter().flatten().map(ToString::to_string).collect();
        let _ = writeln!(page, "| `{code}` | {} | {meaning} | {advice} |", statuses.join(", "));
    }
    check_page("errors.md", &page);
}
