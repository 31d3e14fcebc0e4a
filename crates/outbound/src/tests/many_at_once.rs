//! Tests of many concurrent requests: each arrives once.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::io::AsyncWriteExt;
use tokio::task::JoinSet;

use super::super::OutboundRequest;
use super::{OK, PATIENT, listen, local_client, read_request, word};

const REQUESTS: usize = 2000;
const IN_FLIGHT: usize = 64;

#[tokio::test(flavor = "multi_thread")]
async fn two_thousand_requests_arrive_once_each() {
    let seen = Arc::new(Mutex::new(HashMap::<String, usize>::new()));
    let connections = Arc::new(AtomicUsize::new(0));
    let (kept, counted) = (seen.clone(), connections.clone());
    let address = listen(move |mut stream| {
        counted.fetch_add(1, Ordering::SeqCst);
        let kept = kept.clone();
        async move {
            while let Some(request) = read_request(&mut stream).await {
                let id = String::from_utf8(request.body).expect("the body is text");
                *kept.lock().entry(id).or_default() += 1;
                stream.write_all(OK.as_bytes()).await.ok();
            }
        }
    })
    .await;
    let (client, next) = (Arc::new(local_client()), Arc::new(AtomicUsize::new(0)));
    let (begun, mut workers) = (Instant::now(), JoinSet::new());
    for _ in 0..IN_FLIGHT {
        let (client, next) = (client.clone(), next.clone());
        workers.spawn(async move {
            loop {
                let id = next.fetch_add(1, Ordering::SeqCst);
                if id >= REQUESTS {
                    return;
                }
                let body = Bytes::from(format!("id-{id}"));
                let request = OutboundRequest::new(format!("http://{address}/"), body, PATIENT);
                let attempted = client.post(request).await;
                assert_eq!(word(&attempted), "200", "{attempted:?}");
            }
        });
    }
    workers.join_all().await;
    let took = begun.elapsed();
    let connections = connections.load(Ordering::SeqCst);
    let rate = REQUESTS as f64 / took.as_secs_f64();
    println!("{REQUESTS} requests, {IN_FLIGHT} in flight: {rate:.0}/s, {connections} connections");
    let seen = seen.lock();
    assert_eq!(seen.len(), REQUESTS);
    assert!(seen.values().all(|count| *count == 1));
    assert!(connections <= IN_FLIGHT, "{connections}");
    assert!(client.idle_count() <= IN_FLIGHT);
}
