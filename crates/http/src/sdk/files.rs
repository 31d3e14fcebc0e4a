//! `GET /files/{app_code}/{hash}/{name}`: downloads (design/files).

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use confab_app::services::Services;
use confab_runtime::failures::chain;
use confab_runtime::files::{OutgoingFile, is_hash, media_type};
use futures_util::stream;

use crate::api;
use crate::calls::calls;
use crate::requests::callers::PathApp;
use crate::responses::answer::{Answer, RangeOfFile};
use crate::responses::problem::Problem;

/// Content security policy of uploaded files, by which a file cannot run scripts, load anything, or
/// act with this server's origin.
const POLICY: &str = "sandbox; default-src 'none'";

calls! {
    "Clients" of api::FILES;
    /// Download an uploaded file; requires only its URL
    GET "/files/{app_code}/{hash}/{name}" file = load [404 429];
}

async fn load(
    State(services): State<Services>,
    PathApp(app): PathApp,
    Path((_code, hash, name)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Answer<RangeOfFile> {
    let app_id = app.app().map(|app| app.id).filter(|_| is_hash(&hash)).ok_or_else(unknown)?;
    let file = services.store().file(app_id, &hash).await?.ok_or_else(unknown)?;
    let _running = app.count(&services)?;
    let range = headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    let (first, size) = match range.map_or(FilePart::Whole, |range| part(range, file.size)) {
        FilePart::Whole => (0, file.size),
        FilePart::Within(first, size) => (first, size),
        FilePart::Outside => return Ok(outside(file.size).into()),
    };
    let opened = services.files().open(app_id, &hash, (first, size)).await;
    let outgoing = opened.map_err(|error| unreadable(&error))?.ok_or_else(unknown)?;
    let body = Body::from_stream(stream::try_unfold(outgoing, OutgoingFile::next));
    let is_part = size < file.size;
    let status = if is_part { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let mut response = (status, body).into_response();
    describe(response.headers_mut(), &name, size);
    if is_part {
        let range = format!("bytes {first}-{}/{}", first + size - 1, file.size);
        put(response.headers_mut(), header::CONTENT_RANGE, &range);
    }
    Ok(response.into())
}

/// Sets the headers of a downloaded file, by which browsers show only safe types and save all
/// others.
fn describe(headers: &mut HeaderMap, name: &str, size: u64) {
    let kind = media_type(name);
    put(headers, header::CONTENT_TYPE, kind.name);
    put(headers, header::CONTENT_LENGTH, &size.to_string());
    put(headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(headers, header::CONTENT_SECURITY_POLICY, POLICY);
    put(headers, header::ACCEPT_RANGES, "bytes");
    put(headers, header::CACHE_CONTROL, "private, max-age=31536000, immutable");
    let way = if kind.is_inline { "inline" } else { "attachment" };
    let disposition = format!("{way}; filename*=UTF-8''{}", escaped(name));
    put(headers, header::CONTENT_DISPOSITION, &disposition);
}

fn put(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// Encodes a file name for a header (RFC 8187).
fn escaped(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let letter = |byte: u8| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    name.bytes().map(letter).collect()
}

#[derive(Debug, PartialEq, Eq)]
enum FilePart {
    Whole,
    /// A range within the file: offset and length in bytes.
    Within(u64, u64),
    Outside,
}

/// Parses a `Range` header. Several ranges, or malformed ones, select the whole file (RFC 9110,
/// 14.2).
fn part(range: &str, size: u64) -> FilePart {
    let spec = range.trim().strip_prefix("bytes=").and_then(|spec| spec.trim().split_once('-'));
    let Some((first, last)) = spec else { return FilePart::Whole };
    let (first, last) = (first.trim(), last.trim());
    let number = |text: &str| {
        let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_digits.then(|| text.parse::<u64>().unwrap_or(u64::MAX))
    };
    let (first, end) = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => (first, last.saturating_add(1).min(size)),
        (Some(first), None) if last.is_empty() => (first, size),
        (None, Some(count)) if first.is_empty() && count > 0 => (size.saturating_sub(count), size),
        (None, Some(_)) if first.is_empty() => return FilePart::Outside,
        _ => return FilePart::Whole,
    };
    if first >= size { FilePart::Outside } else { FilePart::Within(first, end - first) }
}

fn outside(size: u64) -> Response {
    let message = "The range is outside the file. Request a range within its size.";
    let problem = Problem::new(StatusCode::RANGE_NOT_SATISFIABLE, "no_such_part", message);
    let mut response = problem.into_response();
    put(response.headers_mut(), header::CONTENT_RANGE, &format!("bytes */{size}"));
    response
}

fn unknown() -> Problem {
    let message = "This app has no such file.";
    Problem::new(StatusCode::NOT_FOUND, "file_not_found", message)
}

fn unreadable(error: &std::io::Error) -> Problem {
    tracing::error!(error = %chain(error), "failed to read an uploaded file");
    let message = "Files cannot be read at the moment. Try again.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "files_unavailable", message).retry_after(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_range_is_served_and_an_invalid_one_returns_the_whole_file() {
        for (range, expected) in [
            ("bytes=0-0", FilePart::Within(0, 1)),
            ("bytes=5-", FilePart::Within(5, 5)),
            ("bytes=-3", FilePart::Within(7, 3)),
            ("bytes=-99", FilePart::Within(0, 10)),
            ("bytes=8-99", FilePart::Within(8, 2)),
            ("bytes=10-", FilePart::Outside),
            ("bytes=-0", FilePart::Outside),
            ("bytes=99999999999999999999-", FilePart::Outside),
            ("bytes=5-4", FilePart::Whole),
            ("bytes=0-1,3-4", FilePart::Whole),
            ("bytes=-", FilePart::Whole),
            ("items=0-1", FilePart::Whole),
            ("bytes=a-b", FilePart::Whole),
            ("bytes=--1", FilePart::Whole),
        ] {
            assert_eq!(part(range, 10), expected, "{range}");
        }
    }
}
