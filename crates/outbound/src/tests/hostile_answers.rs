//! Tests of malicious answers, which are stored unchanged or rejected, but never interpreted.

use super::{AttemptReport, answering, local_client, post, word};

async fn answered(answer: &'static str) -> AttemptReport {
    let address = answering(answer).await;
    post(&local_client(), format!("http://{address}/")).await
}

fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

#[tokio::test]
async fn every_status_has_its_class() {
    let cases = [
        ("200 OK", "200"),
        ("204 No Content", "204"),
        ("299 Fine", "299"),
        ("304 Not Modified", "status_3xx"),
        ("400 Bad", "status_4xx"),
        ("410 Gone", "status_410"),
        ("429 Slow", "status_429"),
        ("500 Oh", "status_5xx"),
        ("599 Oh", "status_5xx"),
        ("600 What", "write"),
    ];
    for (status, expected) in cases {
        let body = if status.starts_with("204") { "" } else { "content-length: 0\r\n" };
        let answer = leaked(format!("HTTP/1.1 {status}\r\n{body}\r\n"));
        assert_eq!(word(&answered(answer).await), expected, "{status}");
    }
}

#[tokio::test]
async fn a_compressed_body_is_stored_without_decompression() {
    let answer = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nbomb";
    let answer = answered(answer).await.outcome.expect("the status is a success");
    assert_eq!(
        (&answer.body[..], &answer.headers["content-encoding"]),
        (&b"bomb"[..], &"gzip".parse().expect("the value is valid"))
    );
}

#[tokio::test]
async fn the_first_16_kib_of_a_body_are_stored() {
    let body = "x".repeat(60 * 1024);
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let answer = answered(leaked(answer)).await.outcome.expect("the status is a success");
    assert_eq!((answer.body.len(), answer.body_bytes), (16 * 1024, 60 * 1024));
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: 65537\r\n\r\n{body}{body}");
    let attempted = answered(leaked(answer)).await;
    assert_eq!(word(&attempted), "body_too_large");
    let answer = format!("HTTP/1.1 500 No\r\ncontent-length: 65537\r\n\r\n{body}{body}");
    assert_eq!(word(&answered(leaked(answer)).await), "status_5xx");
}

#[tokio::test]
async fn headers_are_bounded_in_number_and_in_size() {
    let many: String = (0..1000).map(|at| format!("x-{at}: a\r\n")).collect();
    let answer = leaked(format!("HTTP/1.1 200 OK\r\n{many}\r\n"));
    assert_eq!(word(&answered(answer).await), "body_too_large");
    let huge = "a".repeat(100 * 1024);
    let answer = leaked(format!("HTTP/1.1 200 OK\r\nx: {huge}\r\n\r\n"));
    assert_eq!(word(&answered(answer).await), "body_too_large");
}

#[tokio::test]
async fn an_answer_that_is_not_http_has_the_class_write() {
    let answers = [
        "SSH-2.0-OpenSSH_9.6\r\n",
        "220 mail ESMTP\r\n",
        "<html>hello</html>\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nx\0: y\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
        "\r\n\r\n\r\n\0",
    ];
    for answer in answers {
        let attempted = answered(answer).await;
        assert_eq!(word(&attempted), "write", "{answer:?} {attempted:?}");
    }
}

#[tokio::test]
async fn an_unrequested_second_answer_is_discarded() {
    let twice = "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na\
                 HTTP/1.1 299 Smuggled\r\ncontent-length: 1\r\n\r\nb";
    let address = answering(twice).await;
    let client = local_client();
    for _ in 0..20 {
        let attempted = post(&client, format!("http://{address}/")).await;
        assert_eq!(word(&attempted), "200");
        assert!(!attempted.is_reused);
    }
}
