//! Tests of request headers: nothing is injected or omitted.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::io::AsyncWriteExt;

use super::super::OutboundRequest;
use super::{OK, listen, local_client, read_request, request, word};

fn problem(name: &str, value: &str) -> String {
    let request = request("http://example.com/", Duration::from_secs(1));
    request.header(name, value).expect_err("the header is invalid").to_string()
}

#[test]
fn a_line_break_in_a_header_is_rejected() {
    let bad = "the value of the header x-event contains an invalid character";
    let values = ["a\r\nx: y", "a\nb", "a\rb", "a\0b", "a\u{7f}", "é", "a\u{b}b"];
    for value in values {
        assert_eq!(problem("X-Event", value), bad, "{value:?}");
    }
    let names = ["x\r\ny", "x y", "x:y", "", "é", "x\0"];
    for name in names {
        assert!(problem(name, "a").contains("the header name"), "{name:?}");
    }
    println!("S16: {} values and {} names refused", values.len(), names.len());
}

#[test]
fn framing_headers_cannot_be_set_by_callers() {
    for name in ["Host", "content-length", "Transfer-Encoding", "connection", "Accept-Encoding"] {
        let expected = format!("the header {} is set by the server", name.to_lowercase());
        assert_eq!(problem(name, "x"), expected);
    }
}

#[test]
fn headers_are_bounded() {
    assert!(problem("x", &"a".repeat(16 * 1024)).contains("more than"));
    let mut many = Ok(request("http://example.com/", Duration::from_secs(1)));
    for at in 0..64 {
        many = many.and_then(|it: OutboundRequest| it.header(&format!("x-{at}"), "a"));
    }
    many.expect("64 headers are allowed")
        .header("x-more", "a")
        .expect_err("a 65th header is rejected");
}

#[tokio::test]
async fn the_receiver_gets_the_exact_bytes_and_headers() {
    let seen = Arc::new(Mutex::new(String::new()));
    let kept = seen.clone();
    let address = listen(move |mut stream| {
        let kept = kept.clone();
        async move {
            while let Some(request) = read_request(&mut stream).await {
                *kept.lock() = request.text();
                stream.write_all(OK.as_bytes()).await.ok();
            }
        }
    })
    .await;
    let client = local_client();
    let url = format!("http://Hooks.Example:{}/a%20b/ü?c=d", address.port());
    let body = Bytes::from_static(b"{\"emoji\":\"\xf0\x9f\x98\x80\"}");
    let request = OutboundRequest::new(url, body, Duration::from_secs(5))
        .header("content-type", "application/json")
        .and_then(|it| it.header("webhook-id", "first"))
        .and_then(|it| it.header("Webhook-Id", "msg_1"))
        .expect("the headers are valid");
    let attempted = client.post(request).await;
    assert_eq!(word(&attempted), "200");
    let expected = format!(
        "POST /a%20b/%C3%BC?c=d HTTP/1.1\r\nhost: hooks.example:{}\r\n\
         accept-encoding: identity\r\nuser-agent: Confab\r\ncontent-type: application/json\r\n\
         webhook-id: msg_1\r\ncontent-length: 16\r\n\r\n{{\"emoji\":\"😀\"}}",
        address.port()
    );
    assert_eq!(*seen.lock(), expected);
    let timings = attempted.timings;
    let parts = [timings.dns_us, timings.connect_us, timings.write_us, timings.wait_us];
    assert!(parts.iter().all(Option::is_some) && timings.tls_us.is_none(), "{timings:?}");
    let sum: u64 =
        parts.into_iter().flatten().sum::<u64>() + timings.body_us.expect("a body was read");
    assert!(sum <= timings.total_us.expect("the total is always set"), "{timings:?}");
}
