//! Tests of redirects: they are failed attempts, and are never followed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::AsyncWriteExt;

use super::{Canary, listen, local_client, post, read_request, word};

#[tokio::test]
async fn no_redirect_is_followed() {
    let canary = Canary::start().await;
    let client = local_client();
    let mut tried = 0;
    for status in 300..=308 {
        let places = [
            format!("http://127.0.0.1:{}/", canary.port()),
            "/itself".to_owned(),
            "file:///etc/passwd".to_owned(),
            "//169.254.169.254/latest/meta-data".to_owned(),
        ];
        for place in places {
            let seen = Arc::new(AtomicUsize::new(0));
            let count = seen.clone();
            let answer = format!(
                "HTTP/1.1 {status} Moved\r\nlocation: {place}\r\ncontent-length: 0\r\n\r\n"
            );
            let address = listen(move |mut stream| {
                let (answer, count) = (answer.clone(), count.clone());
                async move {
                    while read_request(&mut stream).await.is_some() {
                        count.fetch_add(1, Ordering::SeqCst);
                        stream.write_all(answer.as_bytes()).await.ok();
                    }
                }
            })
            .await;
            let attempted = post(&client, format!("http://{address}/")).await;
            assert_eq!(word(&attempted), "status_3xx", "{attempted:?}");
            let answer = attempted
                .outcome
                .expect_err("the attempt fails")
                .answer
                .expect("the receiver answered");
            assert_eq!((answer.status, seen.load(Ordering::SeqCst)), (status, 1));
            tried += 1;
        }
    }
    let hits = canary.hits_when_settled().await;
    println!("S3: {tried} redirects, canary hits {hits}");
    assert_eq!(hits, 0);
}
