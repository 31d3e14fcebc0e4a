//! Files that those send who work in an app (D-0125).

use reqwest::Method;
use serde_json::json;

use crate::sdk::uploads::{fetch, form, part, path, send};
use crate::support::answer::{Answer, keys};
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::World;

async fn sends(by: &Worker, name: &str, bytes: &[u8]) -> Answer {
    send(by.request(Method::POST, "/api/v2/files"), form(&[part("file", Some(name), bytes)])).await
}

#[tokio::test]
async fn a_file_that_somebody_sends_is_served_and_reaches_the_customer() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    for by in [&admin, &bo] {
        let data = sends(by, "a photo.png", b"bytes").await.data();
        assert_eq!(keys(&data["file"]), ["name", "size", "url"]);
        assert_eq!(
            (&data["file"]["name"], &data["file"]["size"]),
            (&json!("a photo.png"), &5.into())
        );
        assert_eq!(fetch(&server, &path(&data), None).await.1.text, "bytes");
    }
    let file = sends(&bo, "b.png", b"x").await.data()["file"].take();
    let payload = json!({"url": file["url"], "caption": "", "file_name": file["name"]});
    let message = json!({"type": "file_attachment", "payload": payload});
    let room = format!("/api/v2/customer_rooms/{}/messages", ann.room());
    let said = bo.post(&room, message).await.data();
    assert_eq!(said["comment"]["payload"]["url"], file["url"]);
}

#[tokio::test]
async fn what_is_no_file_or_too_large_or_nobodys_is_refused() {
    let settings = [("upload_max_bytes", "1000"), ("upload_types", "png")];
    let server = TestServer::start_with(&settings).await;
    let office = World::of(&server).await;
    let bo = office.agent("Bo").await;
    sends(&bo, "a.png", &[b'x'; 1000]).await.data();
    sends(&bo, "a.png", &[b'x'; 1001]).await.errors(413, "body_too_large");
    sends(&bo, "a.exe", b"x").await.errors(400, "invalid_request");
    let none = form(&[part("other", None, b"x")]);
    let request = || bo.request(Method::POST, "/api/v2/files");
    send(request(), none).await.errors(400, "invalid_request");
    send(request(), b"--".to_vec()).await.errors(400, "invalid_request");
    bo.post("/api/v2/files", json!({"file": "x"})).await.errors(415, "unsupported_media_type");
    let file = || form(&[part("file", Some("a.png"), b"x")]);
    let bare = server.bare(Method::POST, "/api/v2/files");
    send(bare, file()).await.errors(401, "unauthorized");
    send(office.request(Method::POST, "/api/v2/files"), file()).await.errors(401, "unauthorized");
    bo.log_out().await.data();
    send(request(), file()).await.errors(401, "unauthorized");
}

#[tokio::test]
async fn what_somebody_sends_counts_as_theirs() {
    let server = TestServer::start_with(&[("user_upload_bytes_per_day", "1000")]).await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    sends(&bo, "a.txt", &[b'a'; 900]).await.data();
    assert_eq!(sends(&bo, "b.txt", &[b'b'; 900]).await.status, 429);
    sends(&cy, "c.txt", &[b'c'; 900]).await.data();
}
