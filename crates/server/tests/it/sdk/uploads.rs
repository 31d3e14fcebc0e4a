//! Uploaded files are stored once and served safely.

use reqwest::Method;
use serde_json::Value;

use crate::support::answer::{Answer, text};
use crate::support::caller::{Caller, sent};
use crate::support::client::Client;
use crate::support::test_server::TestServer;

pub const BORDER: &str = "xxBORDERxx";

pub fn part(name: &str, file: Option<&str>, bytes: &[u8]) -> Vec<u8> {
    let file = file.map_or_else(String::new, |file| format!("; filename=\"{file}\""));
    let head =
        format!("--{BORDER}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
    [head.as_bytes(), bytes, b"\r\n"].concat()
}

pub fn form(parts: &[Vec<u8>]) -> Vec<u8> {
    [parts.concat(), format!("--{BORDER}--\r\n").into_bytes()].concat()
}

pub async fn send(request: reqwest::RequestBuilder, body: Vec<u8>) -> Answer {
    let kind = format!("multipart/form-data; boundary={BORDER}");
    sent(request.header("Content-Type", kind).body(body)).await
}

pub async fn upload(client: &Client, name: &str, bytes: &[u8]) -> Answer {
    let body = form(&[part("file", Some(name), bytes)]);
    send(client.request(Method::POST, "upload"), body).await
}

/// Returns the number of unfinished uploads.
pub fn unfinished(files: &std::path::Path) -> usize {
    std::fs::read_dir(files.join("unfinished")).into_iter().flatten().count()
}

/// Returns the path of an uploaded file.
pub fn path(results: &Value) -> String {
    let url = text(&results["file"]["url"]);
    let (_, path) = url.split_once("/files/").expect("a file's address");
    format!("/files/{path}")
}

pub async fn fetch(caller: &Caller, path: &str, range: Option<&str>) -> (u16, Answer) {
    let mut request = caller.bare(Method::GET, path);
    if let Some(range) = range {
        request = request.header("Range", range);
    }
    let answer = sent(request).await;
    (answer.status, answer)
}

#[tokio::test]
async fn a_file_is_served_as_it_was_uploaded_whole_and_in_part() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    let bytes: Vec<u8> = (0..600_000_u32).map(|number| b'a' + (number % 26) as u8).collect();
    let results = upload(&ana, "ein Film.mp4", &bytes).await.results();
    let file = &results["file"];
    assert_eq!(crate::support::answer::keys(file), ["name", "pages", "size", "url"]);
    assert_eq!((&file["name"], file["size"].as_u64()), (&"ein Film.mp4".into(), Some(600_000)));
    let path = path(&results);
    assert!(path.ends_with("/ein%20Film.mp4"), "{path}");
    let (status, answer) = fetch(&server, &path, None).await;
    assert_eq!((status, answer.text.as_bytes()), (200, bytes.as_slice()));
    assert_eq!(answer.header("content-type"), "video/mp4");
    assert_eq!(answer.header("content-length"), "600000");
    assert!(answer.header("content-disposition").starts_with("inline"));
    let (status, answer) = fetch(&server, &path, Some("bytes=26-29")).await;
    assert_eq!((status, answer.text.as_str()), (206, "abcd"));
    assert_eq!(answer.header("content-range"), "bytes 26-29/600000");
    let (_, answer) = fetch(&server, &path, Some("bytes=600000-")).await;
    answer.refused(416, "no_such_part");
}

#[tokio::test]
async fn executable_file_types_are_served_as_attachments() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    for name in ["page.html", "image.svg", "a.xml", "script.js", "x.png.HTM", "noending", "a.pdf"] {
        let results = upload(&ana, name, b"<svg onload=alert(1)>").await.results();
        let (_, answer) = fetch(&server, &path(&results), None).await;
        assert!(answer.header("content-disposition").starts_with("attachment"), "{name}");
        assert!(!answer.header("content-type").contains("html"), "{name}");
        assert!(!answer.header("content-type").contains("svg"), "{name}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("content-security-policy"), "sandbox; default-src 'none'");
    }
    // Another name in the URL does not make the file executable.
    let results = upload(&ana, "cat.png", b"<html>").await.results();
    let renamed = path(&results).replace("cat.png", "cat.html");
    let (_, answer) = fetch(&server, &renamed, None).await;
    assert!(answer.header("content-disposition").starts_with("attachment"));
    assert_eq!(answer.header("content-type"), "application/octet-stream");
}

#[tokio::test]
async fn a_file_is_not_found_in_another_app_or_by_a_wrong_hash() {
    let server = TestServer::start().await;
    server.create_app("other").await;
    let ana = Client::new(&server, "ana").await;
    let path = path(&upload(&ana, "a.txt", b"hello").await.results());
    fetch(&server, &path.replace("/shop/", "/other/"), None).await.1.refused(404, "file_not_found");
    fetch(&server, &path.replace("/shop/", "/none/"), None).await.1.refused(404, "file_not_found");
    let hash = path.split('/').nth(3).expect("a hash").to_owned();
    let zeros = "0".repeat(64);
    for wrong in [zeros.as_str(), "..", "%2e%2e%2f", &hash.to_uppercase(), &hash[..63], "é"] {
        let (status, answer) = fetch(&server, &path.replace(&hash, wrong), None).await;
        assert_eq!(status, 404, "{wrong}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_manually_removed_file_is_not_found_until_it_is_uploaded_again() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    let path = path(&upload(&ana, "a.txt", b"hello").await.results());
    let hash = path.split('/').nth(3).expect("a hash").to_owned();
    let apps = std::fs::read_dir(server.files()).expect("a folder").flatten();
    let kept = apps.map(|app| app.path().join(&hash[..2]).join(&hash)).find(|it| it.exists());
    std::fs::remove_file(kept.expect("the file, as D-0060 says")).expect("removed");
    fetch(&server, &path, None).await.1.refused(404, "file_not_found");
    upload(&ana, "a.txt", b"hello").await.results();
    assert_eq!(fetch(&server, &path, None).await.1.text, "hello");
}

#[tokio::test]
async fn oversized_files_other_types_and_invalid_forms_are_refused() {
    let settings = [("upload_max_bytes", "1000"), ("upload_types", "png, .TXT")];
    let server = TestServer::start_with(&settings).await;
    let ana = Client::new(&server, "ana").await;
    upload(&ana, "a.png", &[b'x'; 1000]).await.results();
    upload(&ana, "a.png", &[b'x'; 1001]).await.refused(413, "body_too_large").says("1000");
    upload(&ana, "a.png", &vec![b'x'; 500_000]).await.refused(413, "body_too_large");
    upload(&ana, "a.exe", b"x").await.refused(400, "invalid_request").says("png, txt");
    upload(&ana, "A.TxT", b"").await.results();
    let none = form(&[part("other", None, b"x")]);
    let answer = send(ana.request(Method::POST, "upload"), none).await;
    answer.refused(400, "invalid_request").says("file");
    let cut = part("file", Some("a.png"), b"x")[..60].to_vec();
    send(ana.request(Method::POST, "upload"), cut).await.refused(400, "invalid_request");
    let json = ana.post("upload", serde_json::json!({"file": "x"})).await;
    json.refused(415, "unsupported_media_type");
}

#[tokio::test]
async fn the_token_can_be_in_the_form_before_or_after_the_file() {
    let server = TestServer::start().await;
    let ana = Client::new(&server, "ana").await;
    let bare = || server.bare(Method::POST, "/api/v2/sdk/upload");
    let file = || part("file", Some("a.txt"), b"x");
    let token = |token: &str| part("token", None, token.as_bytes());
    send(bare(), form(&[token(&ana.token), file()])).await.results();
    send(bare(), form(&[file(), token(&ana.token)])).await.results();
    // Clients that send the token in the form send an empty header as well.
    for nothing in ["", "null", "undefined"] {
        let with_header = || bare().header("SERVICE-SDK-TOKEN", nothing);
        send(with_header(), form(&[file(), token(&ana.token)])).await.results();
        send(with_header(), form(&[file()])).await.refused(403, "unauthorized");
    }
    for wrong in [vec![file()], vec![token("guess"), file()], vec![file(), token("guess")]] {
        send(bare(), form(&wrong)).await.refused(403, "unauthorized");
    }
    let long = token(&"x".repeat(100_000));
    send(bare(), form(&[long, file()])).await.refused(403, "unauthorized");
}
