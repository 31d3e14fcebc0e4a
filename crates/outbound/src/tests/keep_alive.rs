//! Tests of connection reuse, and of the cases in which reuse is unsafe.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{Barrier, mpsc};
use tokio::task::JoinSet;
use tokio::time::{advance, pause, resume};

use super::{OK, answering, listen, local_client, post, read_request, request, word};

/// Advances the paused clock.
async fn pass(seconds: u64) {
    // Let spawned tasks read the time before it changes.
    tokio::task::yield_now().await;
    pause();
    advance(Duration::from_secs(seconds)).await;
    resume();
}

#[tokio::test]
async fn the_next_request_uses_the_same_connection() {
    let address = answering(OK).await;
    let client = local_client();
    let first = post(&client, format!("http://a.example:{}/1", address.port())).await;
    let second = post(&client, format!("http://a.example:{}/2", address.port())).await;
    assert_eq!((word(&first), word(&second)), ("200".to_owned(), "200".to_owned()));
    assert_eq!((first.is_reused, second.is_reused), (false, true));
    assert_eq!((first.peer, second.peer), (Some(address), Some(address)));
    assert!(first.timings.dns_us.is_some() && second.timings.dns_us.is_none());
    let other = post(&client, format!("http://b.example:{}/", address.port())).await;
    assert!(!other.is_reused, "another name needs its own vetting");
    assert_eq!(client.idle_count(), 2);
}

#[tokio::test]
async fn a_failure_status_keeps_the_connection() {
    let address = answering("HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno").await;
    let client = local_client();
    post(&client, format!("http://{address}/")).await;
    assert!(post(&client, format!("http://{address}/")).await.is_reused);
}

#[tokio::test]
async fn a_receiver_that_closes_idle_connections_costs_no_delivery() {
    let (closed, mut closings) = mpsc::unbounded_channel();
    let address = listen(move |mut stream| {
        let closed = closed.clone();
        async move {
            read_request(&mut stream).await;
            stream.write_all(OK.as_bytes()).await.ok();
            drop(stream);
            closed.send(()).ok();
        }
    })
    .await;
    let client = local_client();
    for _ in 0..500 {
        let attempted = post(&client, format!("http://{address}/")).await;
        assert_eq!(word(&attempted), "200", "{attempted:?}");
        closings.recv().await.expect("the receiver closed a connection");
    }
    println!("500 deliveries to a receiver that closes after each: 500 arrived");
}

#[tokio::test]
async fn a_request_that_may_have_arrived_is_not_sent_again() {
    let seen = Arc::new(AtomicUsize::new(0));
    let count = seen.clone();
    let address = listen(move |mut stream| {
        let count = count.clone();
        async move {
            read_request(&mut stream).await;
            stream.write_all(OK.as_bytes()).await.ok();
            if read_request(&mut stream).await.is_some() {
                count.fetch_add(1, Ordering::SeqCst);
            }
        }
    })
    .await;
    let client = local_client();
    post(&client, format!("http://{address}/")).await;
    let second = post(&client, format!("http://{address}/")).await;
    assert_eq!((word(&second).as_str(), second.is_reused), ("write", true));
    assert_eq!(seen.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_connection_that_was_idle_for_too_long_is_not_used() {
    let address = answering(OK).await;
    let client = local_client();
    post(&client, format!("http://{address}/")).await;
    pass(15).await;
    assert!(post(&client, format!("http://{address}/")).await.is_reused);
    pass(21).await;
    assert!(!post(&client, format!("http://{address}/")).await.is_reused);
}

#[tokio::test]
async fn no_connection_outlives_its_vetting() {
    let address = answering(OK).await;
    let client = local_client();
    let mut reused = Vec::new();
    for _ in 0..6 {
        reused.push(post(&client, format!("http://{address}/")).await.is_reused);
        pass(15).await;
    }
    assert_eq!(reused, [false, true, true, true, false, true]);
}

#[tokio::test]
async fn idle_connections_are_closed() {
    let (closed, mut closings) = mpsc::unbounded_channel();
    let address = listen(move |mut stream| {
        let closed = closed.clone();
        async move {
            super::answer_all(&mut stream, OK).await;
            closed.send(()).ok();
        }
    })
    .await;
    let client = local_client();
    post(&client, format!("http://{address}/")).await;
    assert_eq!(client.idle_count(), 1);
    pass(30).await;
    closings.recv().await.expect("the receiver closed a connection");
    assert_eq!(client.idle_count(), 0);
    // The next connection starts the sweep task again.
    post(&client, format!("http://{address}/")).await;
    pass(30).await;
    closings.recv().await.expect("the receiver closed a connection");
}

#[tokio::test]
async fn idle_connections_of_a_target_are_bounded() {
    let together = Arc::new(Barrier::new(100));
    let address = listen(move |mut stream| {
        let together = together.clone();
        async move {
            read_request(&mut stream).await;
            together.wait().await;
            stream.write_all(OK.as_bytes()).await.ok();
            pending::<()>().await;
        }
    })
    .await;
    let client = Arc::new(local_client());
    let mut posts = JoinSet::new();
    for _ in 0..100 {
        let client = client.clone();
        posts.spawn(async move { post(&client, format!("http://{address}/")).await });
    }
    assert!(posts.join_all().await.iter().all(|it| word(it) == "200"));
    assert_eq!(client.idle_count(), 64);
}

#[tokio::test]
async fn a_connection_with_a_close_header_is_not_reused() {
    let address =
        answering("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").await;
    let client = local_client();
    for _ in 0..20 {
        let attempted = post(&client, format!("http://{address}/")).await;
        assert_eq!((word(&attempted).as_str(), attempted.is_reused), ("200", false));
    }
}

#[tokio::test]
async fn dropping_an_attempt_closes_its_connection() {
    let (tell, mut told) = mpsc::unbounded_channel();
    let address = listen(move |mut stream| {
        let tell = tell.clone();
        async move {
            tell.send(read_request(&mut stream).await.is_some()).ok();
            let end = stream.read(&mut [0]).await;
            tell.send(matches!(end, Ok(0) | Err(_))).ok();
        }
    })
    .await;
    let client = local_client();
    let long = request(format!("http://{address}/"), Duration::from_secs(60));
    // Drop the attempt after the receiver got the request.
    tokio::select! {
        attempted = client.post(long) => panic!("{attempted:?}"),
        has_come = told.recv() => assert_eq!(has_come, Some(true)),
    }
    assert_eq!(told.recv().await, Some(true), "the connection was closed");
    let late = request(format!("http://{address}/"), Duration::from_secs(2));
    assert_eq!(word(&client.post(late).await), "header_timeout");
    assert_eq!((told.recv().await, told.recv().await), (Some(true), Some(true)));
}
