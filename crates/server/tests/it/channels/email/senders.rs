//! Senders of mails: each is received once and can be answered, or is refused visibly.

use super::stage::{ANA, EmailStage, header, mailboxes};

/// Has a mail server deliver a mail; returns its response.
fn deliver_by_lmtp(stage: &EmailStage, mail: &str) -> String {
    let mut server = stage.mail_server();
    server.hand_over(ANA, &[&stage.address], mail).expect("an answer").remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_message_id_hides_no_other_mail() {
    let stage = EmailStage::handed_over(&[]).await;
    let mail = |from: &str, rest: &str, text: &str| {
        format!("{rest}From: {from}\nMessage-ID: <1@c.example>\n\n{text}\n")
    };
    for mail in [
        mail(ANA, "", "hello"),
        mail(ANA, "", "something else"),
        mail("bob@customer.example", "", "hello"),
        // The same mail by another route.
        mail(ANA, "Received: from mx.example by mx2.example\n", "hello"),
        mail("bob@customer.example", "", "hello"),
    ] {
        let answer = deliver_by_lmtp(&stage, &mail);
        assert!(answer.starts_with("250"), "{answer}");
    }
    let [anas, bobs] = [stage.room_of(ANA).await, stage.room_of("bob@customer.example").await];
    stage.wait_for_texts(&anas, 2).await;
    stage.wait_for_texts(&bobs, 1).await;
    stage.wait_until_delivered().await;
    assert_eq!(stage.wait_for_texts(&anas, 2).await, ["hello", "something else"]);
    assert_eq!(stage.wait_for_texts(&bobs, 1).await, ["hello"]);
    let reply = format!("From: {ANA}\nIn-Reply-To: <1@c.example>\n\nmore\n");
    assert!(deliver_by_lmtp(&stage, &reply).starts_with("250"));
    stage.wait_for_texts(&anas, 3).await;
    let all = stage.conversation(&anas).await;
    let more = all.iter().find(|it| it["message"] == "more").expect("posted");
    assert_eq!(more["type"], "reply", "a mail can still be found by its Message-ID");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_with_other_delivery_headers_is_recognized_as_a_repetition() {
    let stage = EmailStage::handed_over(&[]).await;
    let mail = "Subject: Order 7\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n\
                --b\nContent-Type: text/plain\n\nSee below.\n--b\nContent-Type: text/csv\n\
                Content-Disposition: attachment; filename=list.csv\n\na,b\n--b--\n";
    for head in ["", "Return-Path: <ana@customer.example>\nDelivered-To: help\n"] {
        let mail = format!("{head}From: {ANA}\nMessage-ID: <1@c.example>\n{mail}");
        assert!(deliver_by_lmtp(&stage, &mail).starts_with("250"));
    }
    let room = stage.room_of(ANA).await;
    stage.wait_for_texts(&room, 2).await;
    stage.wait_until_delivered().await;
    assert_eq!(stage.wait_for_texts(&room, 2).await.len(), 2);
}

/// Each sender, and the address that receives the answer.
const SENDERS: [(&str, &str); 7] = [
    ("müller@firma.example", "müller@firma.example"),
    ("info@müller.example", "info@xn--mller-kva.example"),
    ("\"John Doe\"@x.example", "\"john doe\"@x.example"),
    ("user@[192.0.2.1]", "user@[192.0.2.1]"),
    ("Ana (of the shop) <ana(home)@x.example>", "ana@x.example"),
    ("eva@x.example (Eva)", "eva@x.example"),
    ("\"mia\"@x.example", "mia@x.example"),
];

#[tokio::test(flavor = "multi_thread")]
async fn mails_of_every_valid_sender_are_posted_and_can_be_answered() {
    let stage = EmailStage::handed_over(&[]).await;
    let admin = stage.office.hire("adam", "admin").await;
    for (count, (from, _)) in SENDERS.iter().enumerate() {
        let mail = format!("From: {from}\nMessage-ID: <{count}@c.example>\n\nhello\n");
        let answer = deliver_by_lmtp(&stage, &mail);
        assert!(answer.starts_with("250"), "{from}: {answer}");
    }
    stage.wait_until_delivered().await;
    let rooms = stage.rooms().await;
    assert_eq!(rooms.len(), SENDERS.len());
    for room in rooms {
        let room = room["room_id"].as_str().expect("an id").to_owned();
        stage.post_reply(&admin, &room, "an answer").await;
        stage.wait_for_state(&room, "an answer", "sent").await;
    }
    let mails = stage.mails(SENDERS.len()).await;
    let mut to: Vec<_> = mails.iter().map(|it| header(it, "X-To")).collect();
    to.sort_unstable();
    let mut expected = SENDERS.map(|(_, to)| to);
    expected.sort_unstable();
    assert_eq!(to, expected);
    // Both spellings of a domain are one customer.
    let mail = "From: Info@XN--MLLER-KVA.example\nMessage-ID: <20@c.example>\n\nagain\n";
    assert!(deliver_by_lmtp(&stage, mail).starts_with("250"));
    stage.wait_until_delivered().await;
    assert_eq!(stage.rooms().await.len(), SENDERS.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_to_an_address_that_needs_smtputf8_fails_without_server_support() {
    let stage = EmailStage::handed_over(&[]).await;
    let admin = stage.office.hire("adam", "admin").await;
    stage.smtp.announce_ascii_only();
    for (from, state) in [("müller@firma.example", "failed"), ("info@müller.example", "sent")] {
        let mail = format!("From: {from}\nMessage-ID: <of.{state}>\n\nhello\n");
        assert!(deliver_by_lmtp(&stage, &mail).starts_with("250"));
        stage.wait_until_delivered().await;
        let room = stage.rooms().await[0]["room_id"].as_str().expect("an id").to_owned();
        stage.post_reply(&admin, &room, "an answer").await;
        let status = stage.wait_for_state(&room, "an answer", state).await;
        if state == "failed" {
            assert_eq!(status["code"], "smtputf8", "{status}");
            assert!(status["reason"].as_str().is_some_and(|it| it.contains("SMTPUTF8")));
        }
    }
}

/// Values of From headers without exactly one sender who can be answered.
const UNUSABLE: [&str; 6] = [
    "ana@customer.example\nFrom: eve@evil.example",
    "ana@customer.example, eve@evil.example",
    "ana@customer.example <eve@evil.example>",
    "=?utf-8?q?ana=40customer.example?=",
    "nobody",
    "", // replaced by an address that is too long
];

fn unusable() -> impl Iterator<Item = String> {
    let long = format!("{}@x.example", "a".repeat(300));
    UNUSABLE.into_iter().map(move |it| if it.is_empty() { long.clone() } else { it.to_owned() })
}

#[tokio::test(flavor = "multi_thread")]
async fn lmtp_refuses_a_mail_without_exactly_one_sender() {
    let stage = EmailStage::handed_over(&[]).await;
    for from in unusable() {
        let answer = deliver_by_lmtp(&stage, &format!("From: {from}\n\nhello\n"));
        assert!(answer.starts_with("550 5.7.1"), "{from}: {answer}");
    }
    let answer = deliver_by_lmtp(&stage, "Subject: nobody\n\nhello\n");
    assert!(answer.starts_with("550 5.7.1"), "{answer}");
    stage.wait_until_delivered().await;
    assert!(stage.rooms().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mailbox_mail_without_exactly_one_sender_is_given_up() {
    let stage = EmailStage::start().await;
    for from in unusable() {
        mailboxes().deliver("eve@evil.example", &stage.address, &format!("From: {from}\n\nhi\n"));
    }
    stage.deliver_mail(ANA, "Message-ID: <1@customer.example>", "the last");
    let room = stage.room_of(ANA).await;
    assert_eq!(stage.wait_for_texts(&room, 1).await, ["the last"]);
    let given_up = stage.given_up(UNUSABLE.len()).await;
    assert_eq!(given_up.len(), UNUSABLE.len());
    assert!(given_up.iter().all(|it| it["kind"] == "channel_event"), "{given_up:?}");
    assert_eq!(stage.rooms().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_mails_of_the_same_app_are_treated_as_a_loop() {
    let domains = ("lmtp_domains", "shop.example=shop, shop.example=rival");
    let stage = EmailStage::handed_over(&[domains]).await;
    let rival = stage.server.create_app("rival").await;
    let theirs = EmailStage::in_app(&rival, &stage.smtp).await;
    // A mail of another Confab installation, and a forged header.
    for (count, marked) in ["9", "7.55.9.0.0123456789abcdef0123"].iter().enumerate() {
        let head = format!("From: {ANA}\nMessage-ID: <{count}@c.example>");
        let mail = format!("{head}\nX-Confab-Channel: {marked}\n\nhi {count}\n");
        assert!(deliver_by_lmtp(&stage, &mail).starts_with("250"));
    }
    let room = stage.room_of(ANA).await;
    assert_eq!(stage.wait_for_texts(&room, 2).await, ["hi 0", "hi 1"]);
    let admin = stage.office.hire("adam", "admin").await;
    stage.post_reply(&admin, &room, "an answer").await;
    let sent = stage.mails(1).await.remove(0);
    let (_, sent) = sent.split_once("\r\nFrom: ").expect("a From");
    let (_, rest) = sent.split_once("\r\n").expect("a line");
    let forwarded = format!("From: other@customer.example\n{rest}").replace("\r\n", "\n");
    // Under another sender and Message-ID, it is recognized by its header.
    let renamed = forwarded.replace("Message-ID: <confab.", "Message-ID: <renamed.");
    assert_ne!(renamed, forwarded);
    for mail in [&forwarded, &renamed] {
        assert!(deliver_by_lmtp(&stage, mail).starts_with("250"));
    }
    stage.wait_until_delivered().await;
    assert_eq!(stage.rooms().await.len(), 1, "a mail of this app creates no room");
    // For another app, even of the same server, it is an ordinary mail.
    let mut server = stage.mail_server();
    let answers = server.hand_over(ANA, &[&theirs], &forwarded).expect("an answer");
    assert!(answers[0].starts_with("250"), "{answers:?}");
    let office = crate::support::office::Office::of(&rival);
    let arrived = async || {
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        listed["data"]["customer_rooms"][0]["room_id"].as_str().map(str::to_owned)
    };
    crate::support::waiting::until("the other app has the mail", arrived).await;
}
