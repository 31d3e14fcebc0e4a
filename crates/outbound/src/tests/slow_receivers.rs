//! Tests of receivers that are slow or never finish: each attempt ends at its deadline.

use std::future::pending;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{interval, timeout};

use super::super::OutboundRequest;
use super::{AttemptReport, listen, local_client, post, read_request, request, word};

/// Long enough for a busy machine to reach the state that the receiver permits.
const DEADLINE: Duration = Duration::from_secs(2);

/// Posts to a receiver that sends `start` immediately, then `more` forever, and checks that the
/// attempt ends at its deadline.
async fn attempt(start: &'static str, more: &'static [u8], every: Duration) -> AttemptReport {
    let address = listen(move |mut stream| async move {
        read_request(&mut stream).await;
        stream.write_all(start.as_bytes()).await.ok();
        let mut ticks = interval(every);
        while stream.write_all(more).await.is_ok() {
            if every > NO_TIME {
                ticks.tick().await;
            }
        }
    })
    .await;
    let client = local_client();
    let attempted = client.post(request(format!("http://{address}/"), DEADLINE));
    timeout(GUARD, attempted).await.expect("the attempt ends at its deadline")
}

/// More time than a busy machine adds to the deadline, but finite, unlike the receiver's answers.
const GUARD: Duration = Duration::from_secs(60);
const DRIP: Duration = Duration::from_millis(20);
const NO_TIME: Duration = Duration::from_nanos(1);
const BLOCK: &[u8] = &[b'x'; 64 * 1024];

fn kept(attempted: &AttemptReport) -> usize {
    let answer = match &attempted.outcome {
        Ok(answer) => Some(answer),
        Err(failed) => failed.answer.as_deref(),
    };
    answer.map_or(0, |answer| answer.body.len())
}

#[tokio::test]
async fn dripping_headers_end_by_the_deadline() {
    let attempted = attempt("HTTP/1.1 200 OK\r\nx: ", b"x", DRIP).await;
    assert_eq!(word(&attempted), "header_timeout");
    assert!(attempted.timings.write_us.is_some() && attempted.timings.wait_us.is_some());
}

#[tokio::test]
async fn a_storm_of_interim_answers_ends_by_the_deadline() {
    let attempted = attempt("", b"HTTP/1.1 100 Continue\r\n\r\n", DRIP).await;
    assert_eq!(word(&attempted), "header_timeout");
}

#[tokio::test]
async fn a_dripping_body_ends_by_the_deadline() {
    let attempted = attempt("HTTP/1.1 200 OK\r\n\r\n", b"x", DRIP).await;
    assert_eq!(word(&attempted), "body_timeout");
    let kept = kept(&attempted);
    assert!((1..1000).contains(&kept), "the received part is stored: {kept}");
    assert_eq!(attempted.timings.body_us, None);
}

#[tokio::test]
async fn an_endless_body_is_truncated() {
    let heads = [
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffff\r\n",
    ];
    for head in heads {
        let attempted = attempt(head, BLOCK, NO_TIME).await;
        assert_eq!((word(&attempted).as_str(), kept(&attempted)), ("body_too_large", 16 * 1024));
        let failed = attempted.outcome.expect_err("the attempt fails");
        let read = failed.answer.expect("the receiver answered").body_bytes;
        assert!((64 * 1024 + 1..=96 * 1024).contains(&read), "{read}");
    }
}

#[tokio::test]
async fn an_endless_chunk_line_is_rejected() {
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;";
    let attempted = attempt(head, BLOCK, NO_TIME).await;
    assert_eq!((word(&attempted).as_str(), kept(&attempted)), ("body_timeout", 0));
}

#[tokio::test]
async fn an_endless_header_is_rejected() {
    let attempted = attempt("HTTP/1.1 200 OK\r\nx: ", BLOCK, NO_TIME).await;
    assert_eq!(word(&attempted), "body_too_large");
}

#[tokio::test]
async fn a_receiver_that_never_answers_ends_by_the_deadline() {
    let address = listen(|mut stream| async move {
        read_request(&mut stream).await;
        pending::<()>().await;
    })
    .await;
    let attempted = local_client().post(request(format!("http://{address}/"), DEADLINE)).await;
    assert_eq!(word(&attempted), "header_timeout");
    assert_eq!((attempted.peer, attempted.timings.wait_us), (Some(address), None));
}

#[tokio::test]
async fn a_receiver_that_never_reads_ends_by_the_deadline() {
    let address = listen(|stream| async move {
        let _held = stream;
        pending::<()>().await;
    })
    .await;
    let body = Bytes::from(vec![b'x'; 32 * 1024 * 1024]);
    let request = OutboundRequest::new(format!("http://{address}/"), body, DEADLINE);
    let attempted = local_client().post(request).await;
    assert_eq!((word(&attempted).as_str(), attempted.timings.write_us), ("write", None));
}

#[tokio::test]
async fn a_receiver_that_closes_the_connection_has_the_class_write() {
    let address = listen(|mut stream| async move {
        read_request(&mut stream).await;
    })
    .await;
    let attempted = post(&local_client(), format!("http://{address}/")).await;
    assert_eq!(word(&attempted), "write");
    let half = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf";
    let address = listen(move |mut stream| async move {
        read_request(&mut stream).await;
        stream.write_all(half.as_bytes()).await.ok();
    })
    .await;
    let attempted = post(&local_client(), format!("http://{address}/")).await;
    assert_eq!((word(&attempted).as_str(), kept(&attempted)), ("body_timeout", 4));
}

#[tokio::test]
async fn a_full_listen_queue_has_the_class_connect_timeout() {
    let socket = TcpSocket::new_v4().expect("a socket is created");
    socket.bind("127.0.0.1:0".parse().expect("the address is valid")).expect("a port is free");
    let listener = socket.listen(1).expect("the socket listens");
    let address = listener.local_addr().expect("the address is valid");
    let mut held = Vec::new();
    while let Ok(stream) = timeout(Duration::from_secs(1), TcpStream::connect(address)).await {
        held.push(stream);
    }
    let attempted = local_client().post(request(format!("http://{address}/"), DEADLINE)).await;
    assert_eq!((word(&attempted).as_str(), attempted.peer), ("connect_timeout", None));
}
