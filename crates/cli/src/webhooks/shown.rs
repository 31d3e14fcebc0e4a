//! Formats deliveries, endpoints and times for the terminal.

use std::time::Duration;

use clap::ArgMatches;

use super::answers::{Phases, ShownAttempt, ShownDelivery, ShownEndpoint};
use crate::command_error::CommandError;
use crate::inert_text::{inert, inert_line};
use crate::remote::server_api::AnswerData;

/// Placeholder for an absent value.
const NOTHING: &str = "-";

/// Prints the raw data with `--json`, else the result of `for_people`.
pub(super) fn print(
    matches: &ArgMatches,
    data: &AnswerData,
    for_people: impl FnOnce(&AnswerData) -> Result<String, CommandError>,
) -> Result<(), CommandError> {
    match matches.get_flag("json") {
        true => say!("{}", data.text()),
        false => say!("{}", for_people(data)?),
    }
    Ok(())
}

/// Formats a table with column headings, each column as wide as its widest cell.
pub(super) fn table<const COLUMNS: usize>(
    heads: [&str; COLUMNS],
    rows: &[[String; COLUMNS]],
) -> String {
    let mut lines = vec![heads.map(str::to_owned)];
    lines.extend(rows.iter().map(|row| row.each_ref().map(|cell| inert_line(cell))));
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<_> = (0..COLUMNS).map(|column| width(column).unwrap_or(0)).collect();
    let padded = |line: &[String; COLUMNS]| {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    lines.iter().map(padded).collect::<Vec<_>>().join("\n")
}

pub(super) const DELIVERY_HEADS: [&str; 7] =
    ["TIME (UTC)", "ID", "KIND", "ROOM", "STANDING", "ATTEMPTS", "LAST"];

pub(super) fn delivery_row(delivery: &ShownDelivery) -> [String; 7] {
    [
        short_time(&delivery.created_at),
        delivery.id.to_string(),
        delivery.kind.clone(),
        delivery.room_id.clone().unwrap_or_else(|| NOTHING.to_owned()),
        delivery.standing.clone(),
        delivery.attempts.to_string(),
        result(delivery.last_status, delivery.last_error.as_deref()),
    ]
}

pub(super) const ENDPOINT_HEADS: [&str; 6] =
    ["KIND", "STATE", "WAITING", "OLDEST (UTC)", "FAILING SINCE (UTC)", "URL"];

pub(super) fn endpoint_row(endpoint: &ShownEndpoint) -> [String; 6] {
    let time = |time: &Option<String>| time.as_deref().map_or(NOTHING.to_owned(), short_time);
    [
        endpoint.kind.clone(),
        endpoint.state.clone(),
        endpoint.waiting.to_string(),
        time(&endpoint.oldest_waiting_at),
        time(&endpoint.failing_since),
        endpoint.url.clone(),
    ]
}

/// Formats an attempt in a few lines: result, receiver, timings and response.
pub(super) fn attempt(attempt: &ShownAttempt) -> String {
    let result = result(attempt.status, attempt.error.as_deref());
    let peer = attempt.peer.as_deref().unwrap_or(NOTHING);
    let mut text = format!(
        "#{}  {}  {result}  from {}\n    {}",
        attempt.number,
        short_time(&attempt.at),
        inert_line(peer),
        phases(&attempt.phases_us)
    );
    if let Some(url) = &attempt.url {
        text.push_str(&format!("\n    to: {}", inert_line(url)));
    }
    if let Some(answer) = attempt.answer.as_deref().filter(|answer| !answer.is_empty()) {
        let answer = inert(answer).replace('\n', "\n    ");
        text.push_str(&format!("\n    answer: {answer}"));
    }
    text
}

/// Formats the durations of an attempt's phases, such as `connect` and `TLS`, without those that
/// did not take place.
fn phases(phases: &Phases) -> String {
    let parts = [
        ("name", phases.name),
        ("connect", phases.connect),
        ("TLS", phases.tls),
        ("head", phases.head),
        ("body", phases.body),
    ];
    let shown = |(part, us): (&str, Option<u64>)| {
        us.map(|us| format!("{part} {}", took(Duration::from_micros(us))))
    };
    let shown: Vec<_> = parts.into_iter().filter_map(shown).collect();
    if shown.is_empty() { "no timings".to_owned() } else { shown.join(", ") }
}

/// Formats the HTTP status of an attempt, its error class, or both.
pub(super) fn result(status: Option<u16>, error: Option<&str>) -> String {
    match (status, error) {
        (Some(status), Some(error)) => format!("{status} {error}"),
        (Some(status), None) => status.to_string(),
        (None, Some(error)) => error.to_owned(),
        (None, None) => NOTHING.to_owned(),
    }
}

/// Shortens `2026-11-15T10:00:00.000000Z` to `2026-11-15 10:00:00`.
pub(crate) fn short_time(time: &str) -> String {
    match (time.get(..10), time.get(11..19)) {
        (Some(day), Some(time)) => format!("{day} {time}"),
        _ => time.to_owned(),
    }
}

/// Formats a duration, as in `0.25 ms`, `12 ms`, `3.5 s`.
pub(crate) fn took(time: Duration) -> String {
    match time.as_micros() {
        us @ ..10_000 => format!("{:.2} ms", us as f64 / 1e3),
        us @ ..1_000_000 => format!("{} ms", us / 1000),
        us => format!("{:.1} s", us as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fit_their_widest_cell_and_lines_have_no_trailing_spaces() {
        let rows =
            [["1".to_owned(), "Grüße".to_owned()], ["1000".to_owned(), "\u{1b}[2J\n".to_owned()]];
        assert_eq!(table(["ID", "TEXT"], &rows), "ID    TEXT\n1     Grüße\n1000  �[2J");
    }

    #[test]
    fn a_delivery_is_one_row_with_a_hyphen_for_each_missing_value() {
        let text = r#"{"id":7,"kind":"logout","room_id":null,"sequence":1,"url":"http://a/b",
            "standing":"failed","attempts":3,"last_status":503,"last_error":"status_5xx",
            "created_at":"2026-11-15T10:00:00.123456Z","due_at":null,"new_field":[1]}"#;
        let delivery: ShownDelivery = serde_json::from_str(text).expect("a delivery");
        let row = delivery_row(&delivery);
        let expected = ["2026-11-15 10:00:00", "7", "logout", "-", "failed", "3", "503 status_5xx"];
        assert_eq!(row, expected);
    }

    #[test]
    fn an_attempt_is_shown_with_its_phases_and_without_control_characters() {
        let text = r#"{"number":2,"at":"2026-11-15T10:00:00.000000Z","status":500,
            "error":"status_5xx","peer":"10.0.0.1:443","answer":"no\n\u001b[31m",
            "phases_us":{"name":null,"connect":950,"tls":12000,"head":2500000,"body":1}}"#;
        let shown = attempt(&serde_json::from_str(text).expect("an attempt"));
        let expected = "#2  2026-11-15 10:00:00  500 status_5xx  from 10.0.0.1:443\n    \
                        connect 0.95 ms, TLS 12 ms, head 2.5 s, body 0.00 ms\n    \
                        answer: no\n    �[31m";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_time_in_an_unknown_format_is_shown_unchanged() {
        assert_eq!(short_time("soon"), "soon");
        assert_eq!(short_time("2026-11-15T10:00:00Z"), "2026-11-15 10:00:00");
    }
}
