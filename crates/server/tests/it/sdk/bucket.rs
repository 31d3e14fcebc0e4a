//! Uploaded files in a small S3-compatible store, which verifies signatures as documented.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use super::uploads::{fetch, path, upload};
use crate::support::client::Client;
use crate::support::test_server::TestServer;

pub const SECRET: &str = "the-secret-of-the-bucket";

#[derive(Default)]
pub struct Bucket {
    pub objects: Mutex<HashMap<String, Bytes>>,
    refused: Mutex<usize>,
}

fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether the query contains a valid version 4 signature.
fn is_signed(method: &Method, uri: &Uri, host: &str) -> bool {
    let query = uri.query().unwrap_or_default();
    let mut pairs: Vec<&str> = query.split('&').collect();
    let shown = pairs.iter().find_map(|pair| pair.strip_prefix("X-Amz-Signature="));
    let shown = shown.unwrap_or_default().to_owned();
    pairs.retain(|pair| !pair.starts_with("X-Amz-Signature="));
    pairs.sort_unstable();
    let value = |name: &str| {
        let found = pairs.iter().find_map(|pair| pair.strip_prefix(name));
        found.unwrap_or_default().replace("%2F", "/")
    };
    let (date, credential) = (value("X-Amz-Date="), value("X-Amz-Credential="));
    let scope = credential.strip_prefix("keeper/").unwrap_or_default();
    let canonical = format!(
        "{method}\n{}\n{}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD",
        uri.path(),
        pairs.join("&")
    );
    let hash = hex(&Sha256::digest(canonical));
    let to_sign = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{hash}");
    let parts = scope.split('/');
    let key = parts.fold(format!("AWS4{SECRET}").into_bytes(), |key, part| hmac(&key, part));
    hex(&hmac(&key, &to_sign)) == shown && scope.ends_with("/eu-test/s3/aws4_request")
}

async fn serve(
    State(bucket): State<Arc<Bucket>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if !is_signed(&method, &uri, headers["host"].to_str().expect("text")) {
        *bucket.refused.lock() += 1;
        return StatusCode::FORBIDDEN.into_response();
    }
    let key = uri.path().to_owned();
    if method == Method::PUT {
        assert_eq!(headers["content-length"], body.len().to_string().as_str());
        bucket.objects.lock().insert(key, body);
        return StatusCode::OK.into_response();
    }
    if method == Method::DELETE {
        bucket.objects.lock().remove(&key);
        return StatusCode::NO_CONTENT.into_response();
    }
    let Some(object) = bucket.objects.lock().get(&key).cloned() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let range = headers["range"].to_str().expect("text").strip_prefix("bytes=").expect("bytes");
    let (first, last) = range.split_once('-').expect("two ends");
    let (first, last): (usize, usize) = (first.parse().expect("from"), last.parse().expect("to"));
    (StatusCode::PARTIAL_CONTENT, object.slice(first..=last)).into_response()
}

/// Starts a bucket; returns it with the settings of a server that uses this secret key.
pub async fn bucket(secret: &str) -> (Arc<Bucket>, [(&'static str, String); 5]) {
    let bucket = Arc::new(Bucket::default());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
    let router = Router::new().fallback(serve).with_state(bucket.clone());
    let router = router.layer(axum::extract::DefaultBodyLimit::disable());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let settings = [
        ("s3_endpoint", endpoint),
        ("s3_bucket", "files".to_owned()),
        ("s3_region", "eu-test".to_owned()),
        ("s3_access_key", "keeper".to_owned()),
        ("s3_secret_key", secret.to_owned()),
    ];
    (bucket, settings)
}

async fn started(secret: &str) -> (Arc<Bucket>, TestServer) {
    let (bucket, settings) = bucket(secret).await;
    let settings = settings.each_ref().map(|(name, value)| (*name, value.as_str()));
    (bucket, TestServer::start_with(&settings).await)
}

#[tokio::test]
async fn uploaded_files_are_stored_in_and_served_from_a_bucket() {
    let (bucket, server) = started(SECRET).await;
    let ana = Client::new(&server, "ana").await;
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|number| b'a' + (number % 26) as u8).collect();
    let path = path(&upload(&ana, "film.mp4", &bytes).await.results());
    assert_eq!(bucket.objects.lock().len(), 1);
    let (status, answer) = fetch(&server, &path, None).await;
    assert_eq!((status, answer.text.as_bytes()), (200, bytes.as_slice()));
    let (status, answer) = fetch(&server, &path, Some("bytes=26-29")).await;
    assert_eq!((status, answer.text.as_str()), (206, "abcd"));
    assert_eq!(*bucket.refused.lock(), 0);
    bucket.objects.lock().clear();
    fetch(&server, &path, None).await.1.refused(404, "file_not_found");
}

#[tokio::test]
async fn an_upload_that_the_bucket_refuses_is_a_503_and_not_stored() {
    let (bucket, server) = started("another-secret").await;
    let ana = Client::new(&server, "ana").await;
    upload(&ana, "a.txt", b"hello").await.refused(503, "files_unavailable");
    assert_eq!((*bucket.refused.lock(), bucket.objects.lock().len()), (1, 0));
}
