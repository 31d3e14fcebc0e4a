//! The ceilings: the best that this machine can do with the same HTTP stack.
//!
//! `/ceiling/http` parses the body like a posted message and answers with a fixed comment.
//! `/ceiling/durable` also appends the body to a file first and waits for a shared fdatasync.

use std::fs::File;
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use confab_app::services::Services;
use confab_http as http;
use confab_runtime::SystemStamps;
use confab_runtime::config::{Config, Setting, from_everywhere};
use confab_store::Store;
use confab_wire::body::Body;
use confab_wire::message_api::comments::PostComment;
use tokio::sync::{mpsc, oneshot};

use crate::failure::Failure;
use crate::fill;

const QUEUE_MAX: usize = 8192;
const BATCH_MAX: usize = 1024;

/// A fixed response of the same length as the server's response to a short message.
const ANSWER: &str = r#"{"results":{"comment":{"id":371307303809024,"unique_temp_id":"019a85c2-7d3a-7000-8000-151b2a0ac0f1","unique_id":"019a85c2-7d3a-7000-8000-151b2a0ac0f1","message":"hello from the load generator","payload":{},"extras":{},"timestamp":"2026-11-15T04:53:17Z","type":"text","user":{"user_id":"user-1","username":"User 1","avatar_url":"","extras":{}}}},"status":200}"#;

type Append = (Bytes, oneshot::Sender<bool>);

/// Serves both ceilings until the process is killed.
pub(crate) fn serve(address: &str, file: &Path) -> Result<(), Failure> {
    confab_runtime::process::logging::start("info", confab_runtime::config::LogFormat::Text);
    let file = File::create(file)?;
    let (appends, waiting) = mpsc::channel(QUEUE_MAX);
    std::thread::spawn(move || append_all(file, waiting));
    let router = Router::new()
        .route("/ceiling/http", post(parsed))
        .route("/ceiling/durable", post(durable))
        .with_state(appends);
    let listener = TcpListener::bind(address)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let services = services().await?;
        let router = http::layered(router, services.clone());
        Ok(http::serve(listener, router, &services, http::Stopper::default()).await?)
    })
}

/// Returns the application state that the HTTP layers need. The store is never used.
async fn services() -> Result<Services, Failure> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("confab.toml");
    std::fs::write(&file, "")?;
    let data = folder.path().join("data").display().to_string();
    let flag = |setting: &Setting| (setting.key == "data").then(|| data.clone());
    let config = Config::from_effective(&from_everywhere(flag, |_| None, Some(&file))?)?;
    let stamps = Arc::new(SystemStamps::new(0));
    let sealer = fill::sealer(&config.location).await?;
    let store = Store::open(&config.location, stamps, sealer).await?;
    Ok(Services::new(store, config))
}

async fn parsed(body: Bytes) -> Response {
    match Body::from_json(&body).and_then(|fields| PostComment::read(&fields, None)) {
        Ok(_) => ([(header::CONTENT_TYPE, "application/json")], ANSWER).into_response(),
        Err(_) => StatusCode::BAD_REQUEST.into_response(),
    }
}

async fn durable(State(appends): State<mpsc::Sender<Append>>, body: Bytes) -> Response {
    let (done, is_done) = oneshot::channel();
    if appends.try_send((body.clone(), done)).is_err() || is_done.await != Ok(true) {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    parsed(body).await
}

fn append_all(mut file: File, mut waiting: mpsc::Receiver<Append>) {
    let mut bytes = Vec::new();
    while let Some(first) = waiting.blocking_recv() {
        let mut batch = vec![first];
        while batch.len() < BATCH_MAX
            && let Ok(next) = waiting.try_recv()
        {
            batch.push(next);
        }
        bytes.clear();
        for (body, _) in &batch {
            bytes.extend_from_slice(body);
            bytes.push(b'\n');
        }
        let is_on_disk = file.write_all(&bytes).and_then(|()| file.sync_data()).is_ok();
        for (_, done) in batch {
            let _ = done.send(is_on_disk);
        }
    }
}
