//! Tests of forms, whole and in pieces of every size.

use std::convert::Infallible;

use axum::http::HeaderValue;
use futures_util::stream;
use http_body_util::StreamBody;
use hyper::body::Frame;

use super::*;
use crate::requests::request::RequestContext;

fn form(bytes: &[u8], piece: usize) -> Form {
    let mut headers = HeaderMap::new();
    let kind = HeaderValue::from_static("multipart/form-data; boundary=\"B\"");
    headers.insert(header::CONTENT_TYPE, kind);
    let pieces: Vec<_> = bytes.chunks(piece).map(Bytes::copy_from_slice).collect();
    let frames = pieces.into_iter().map(|it| Ok::<_, Infallible>(Frame::data(it)));
    let body = Body::new(StreamBody::new(stream::iter(frames)));
    let progress = UploadProgress::new(RequestContext::new(&HeaderMap::new()), true);
    Form::new(&headers, body, progress).expect("a form")
}

/// Reads each part with its content.
async fn read(bytes: &[u8], piece: usize) -> Result<Vec<(PartHead, Vec<u8>)>, FormError> {
    let (mut form, mut found) = (form(bytes, piece), Vec::new());
    while let Some(part) = form.next_part().await? {
        let mut content = Vec::new();
        while let Some(more) = form.content().await? {
            content.extend_from_slice(&more);
        }
        found.push((part, content));
    }
    Ok(found)
}

const WHOLE: &[u8] = b"something before\r\n--B\r\n\
    Content-Type: text/plain\r\nCONTENT-disposition: form-data; name=file; filename=\"a;b.txt\"\
    \r\n\r\none\r\n--\r\n-B\r\n\r\n--B \t\r\ncontent-disposition: form-data; name=\"token\"\
    \r\n\r\n\r\n--B\r\n\r\nof nobody\r\n--B--\r\nsomething after";

#[tokio::test]
async fn parts_are_parsed_with_any_chunk_size() {
    for piece in 1..WHOLE.len() {
        let found = read(WHOLE, piece).await.expect("a form");
        let shown: Vec<_> = found
            .iter()
            .map(|(it, content)| (it.name.as_str(), it.file_name.as_str(), content.as_slice()))
            .collect();
        let file = ("file", "a;b.txt", b"one\r\n--\r\n-B\r\n".as_slice());
        let wanted = [file, ("token", "", b""), ("", "", b"of nobody")];
        assert_eq!(shown, wanted, "in pieces of {piece}");
    }
}

#[tokio::test]
async fn a_truncated_form_is_rejected() {
    let end = WHOLE.windows(5).position(|it| it == b"--B--").expect("an end");
    for length in 0..end + 4 {
        let read = read(&WHOLE[..length], 7).await;
        assert_eq!(read.expect_err("too short"), FormError::Broken, "{length}");
    }
}

#[tokio::test]
async fn data_outside_of_the_file_is_bounded() {
    // The last few bytes may be the start of a boundary, and are not counted yet.
    let much = "x".repeat(limits::UPLOAD_EXTRA_BYTES_MAX + 10);
    let token = "Content-Disposition: form-data; name=token\r\n\r\n";
    for long in [
        much.clone(),
        format!("--B\r\n{much}"),
        format!("--B\r\n{token}{much}\r\n--B--"),
        "--B\r\n\r\n\r\n".repeat(limits::UPLOAD_EXTRA_BYTES_MAX / 9 + 2),
    ] {
        let mut form = form(long.as_bytes(), 1_000);
        let error = loop {
            match form.next_part().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("it ends"),
                Err(error) => break error,
            }
        };
        assert_eq!(error, FormError::TooMuchBeside);
    }
    // The content of a requested part is not counted.
    let long = format!("--B\r\n\r\n{much}\r\n--B--");
    assert_eq!(read(long.as_bytes(), 1_000).await.expect("a form")[0].1.len(), much.len());
}

#[test]
fn part_headers_are_parsed_as_browsers_write_them() {
    let file_name = |text: &str| PartHead::read(&format!("Content-Disposition: {text}")).file_name;
    assert_eq!(file_name("form-data; name=\"file\"; filename=\"C:\\a\\b.txt\""), "C:\\a\\b.txt");
    assert_eq!(file_name("form-data; filename=\"a \\\"b\\\".txt\"; name=file"), "a \"b\".txt");
    assert_eq!(file_name("form-data; x; filename = a.txt ;y=z"), "a.txt");
    assert_eq!(file_name("form-data; filename=\"never ends"), "never ends");
    assert_eq!(file_name("form-data"), "");
    assert_eq!(boundary("multipart/form-data"), None);
    assert_eq!(boundary("multipart/mixed; boundary=x"), None);
    assert_eq!(boundary("Multipart/Form-Data;charset=utf-8; BOUNDARY=x"), Some("x".to_owned()));
    assert_eq!(boundary(&format!("multipart/form-data; boundary={}", "x".repeat(71))), None);
}
