//! Files that agents send.

use reqwest::Method;
use serde_json::json;

use crate::sdk::uploads::{fetch, form, part, path, send};
use crate::support::answer::{Answer, keys};
use crate::support::office::Worker;
use crate::support::test_server::TestServer;
use crate::support::world::World;

async fn upload(by: &Worker, name: &str, bytes: &[u8]) -> Answer {
    send(by.request(Method::POST, "/api/v2/files"), form(&[part("file", Some(name), bytes)])).await
}

#[tokio::test]
async fn a_file_uploaded_by_an_agent_is_served_and_can_be_posted() {
    let server = TestServer::start_quiet().await;
    let office = World::of(&server).await;
    let (admin, bo) = (office.admin().await, office.agent("Bo").await);
    let ann = office.waiting("ann").await;
    office.assign(&ann, &bo).await.data();
    for by in [&admin, &bo] {
        let data = upload(by, "a photo.png", b"bytes").await.data();
        assert_eq!(keys(&data["file"]), ["name", "size", "url"]);
        assert_eq!(
            (&data["file"]["name"], &data["file"]["size"]),
            (&json!("a photo.png"), &5.into())
        );
        assert_eq!(fetch(&server, &path(&data), None).await.1.text, "bytes");
    }
    let file = upload(&bo, "b.png", b"x").await.data()["file"].take();
    let payload = json!({"url": file["url"], "caption": "", "file_name": file["name"]});
    let message = json!({"type": "file_attachment", "payload": payload});
    let room = format!("/api/v2/customer_rooms/{}/messages", ann.room());
    let posted = bo.post(&room, message).await.data();
    assert_eq!(posted["comment"]["payload"]["url"], file["url"]);
}

#[tokio::test]
async fn invalid_oversized_and_unauthenticated_uploads_are_refused() {
    let settings = [("upload_max_bytes", "1000"), ("upload_types", "png")];
    let server = TestServer::start_with(&settings).await;
    let office = World::of(&server).await;
    let bo = office.agent("Bo").await;
    upload(&bo, "a.png", &[b'x'; 1000]).await.data();
    upload(&bo, "a.png", &[b'x'; 1001]).await.errors(413, "body_too_large");
    upload(&bo, "a.exe", b"x").await.errors(400, "invalid_request");
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
async fn uploads_count_toward_the_quota_of_the_agent() {
    let server = TestServer::start_with(&[("user_upload_bytes_per_day", "1000")]).await;
    let office = World::of(&server).await;
    let (bo, cy) = (office.agent("Bo").await, office.agent("Cy").await);
    upload(&bo, "a.txt", &[b'a'; 900]).await.data();
    assert_eq!(upload(&bo, "b.txt", &[b'b'; 900]).await.status, 429);
    upload(&cy, "c.txt", &[b'c'; 900]).await.data();
}
