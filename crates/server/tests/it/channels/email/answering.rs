//! Messages to customers are sent as mails, to a real SMTP server.

use serde_json::json;

use super::stage::{ANA, EmailStage, PASSWORD, header, mailboxes};

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_is_mailed_in_the_customers_thread() {
    let stage = EmailStage::start().await;
    let room = stage.with_room(ANA).await;
    let admin = stage.office.hire("adam", "admin").await;
    stage.post_reply(&admin, &room, "It is on its way.\n.\nGrüße").await;
    stage.wait_for_state(&room, "It is on its way.\n.\nGrüße", "sent").await;
    stage.post_as_bot(&room, "I am a bot.").await.data();
    let mails = stage.mails(2).await;
    let [by_person, by_bot] = [&mails[0], &mails[1]];
    assert_eq!(header(by_person, "X-To"), ANA);
    assert_eq!(header(by_person, "X-From"), stage.address);
    assert_eq!(header(by_person, "Subject"), "Re: Order 7");
    assert_eq!(header(by_person, "In-Reply-To"), "<1@customer.example>");
    assert_eq!(header(by_person, "References"), "<1@customer.example>");
    assert!(header(by_person, "From").contains(&stage.address));
    assert!(by_person.contains("It is on its way.") && by_person.contains("Gr=C3=BC=C3=9Fe"));
    assert_eq!(header(by_person, "Auto-Submitted"), "");
    assert_eq!(header(by_bot, "Auto-Submitted"), "auto-replied");
    // A mailbox that also receives its own sent mails must not cause a loop.
    mailboxes().deliver(&stage.address, &stage.address, by_bot);
    let id = header(by_person, "Message-ID").to_owned();
    let headers = format!("Message-ID: <3@customer.example>\nIn-Reply-To: {id}");
    stage.deliver_mail(ANA, &headers, "Thanks!");
    let said = stage.wait_for_texts(&room, 4).await;
    assert_eq!(said.last().map(String::as_str), Some("Thanks!"));
    assert_eq!(said.len(), 4);
    let all = stage.conversation(&room).await;
    let thanks = all.iter().find(|it| it["message"] == "Thanks!").expect("the mail is posted");
    assert_eq!(thanks["type"], "reply", "a mail with In-Reply-To is posted as a reply");
}

#[tokio::test(flavor = "multi_thread")]
async fn deferred_mails_are_retried_refused_ones_fail_and_retries_keep_the_message_id() {
    let stage = EmailStage::start().await;
    let admin = stage.office.hire("adam", "admin").await;
    for (from, state) in [
        ("grey@customer.example", "sent"),
        ("refused@customer.example", "failed"),
        ("lost@customer.example", "sent"),
    ] {
        let mail = format!("Message-ID: <of.{from}>");
        stage.deliver_mail(from, &mail, "hello");
        let room = stage.room_of(from).await;
        stage.wait_for_texts(&room, 1).await;
        stage.post_reply(&admin, &room, "an answer").await;
        let status = stage.wait_for_state(&room, "an answer", state).await;
        if state == "failed" {
            assert_eq!(status["code"], "550", "{status}");
            assert!(status["reason"].as_str().is_some_and(|it| it.contains("No such user")));
        }
    }
    let mails = stage.mails(3).await;
    let ids = |to: &str| -> Vec<_> {
        let of = mails.iter().filter(|it| header(it, "X-To") == to);
        of.map(|it| header(it, "Message-ID")).collect()
    };
    assert_eq!(ids("grey@customer.example").len(), 1);
    let lost = ids("lost@customer.example");
    assert_eq!(lost.len(), 2, "a mail with an unknown outcome is sent again");
    assert_eq!(lost[0], lost[1], "a retry keeps the Message-ID");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bounce_marks_its_message_as_failed() {
    let stage = EmailStage::start().await;
    let room = stage.with_room(ANA).await;
    stage.post_as_bot(&room, "It is on its way.").await.data();
    stage.wait_for_state(&room, "It is on its way.", "sent").await;
    let mails = stage.mails(1).await;
    let id = header(&mails[0], "Message-ID");
    let report = format!(
        "From: mailer-daemon@mx.example\nContent-Type: multipart/report; \
         report-type=delivery-status; boundary=b\n\n--b\nContent-Type: text/plain\n\nSorry.\n--b\n\
         Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n\n\
         Final-Recipient: rfc822; {ANA}\nAction: failed\nStatus: 5.2.2\n\
         Diagnostic-Code: smtp; 552 mailbox full\n\n--b\n\
         Content-Type: text/rfc822-headers\n\nMessage-ID: {id}\n--b--\n"
    );
    mailboxes().deliver("", &stage.address, &report);
    let status = stage.wait_for_state(&room, "It is on its way.", "failed").await;
    assert_eq!(status["code"], "5.2.2");
    assert!(status["reason"].as_str().is_some_and(|it| it.contains("mailbox full")), "{status}");
    assert_eq!(stage.wait_for_texts(&room, 2).await.len(), 2, "a delivery report is not posted");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_uploaded_file_is_attached_to_the_mail() {
    let stage = EmailStage::start().await;
    let room = stage.with_room(ANA).await;
    let admin = stage.office.hire("adam", "admin").await;
    let head = "--limit\r\nContent-Disposition: form-data; name=\"file\"; \
                filename=\"photo.png\"\r\n\r\n";
    let form = [head.as_bytes(), &[7; 200_000], b"\r\n--limit--\r\n"].concat();
    let request = admin.request(reqwest::Method::POST, "/api/v2/files");
    let request = request.header("Content-Type", "multipart/form-data; boundary=limit");
    let kept = crate::support::caller::sent(request.body(form)).await.data();
    let payload = json!({"url": kept["file"]["url"], "caption": "See", "file_name": "photo.png"});
    let path = format!("/api/v2/customer_rooms/{room}/messages");
    admin.post(&path, json!({"type": "file_attachment", "payload": payload})).await.data();
    let mails = stage.mails(1).await;
    assert!(mails[0].contains("filename=\"photo.png\""));
    let line = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH";
    assert_eq!(mails[0].lines().filter(|it| *it == line).count(), 200_000 / 57);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_password_stops_the_channel_and_its_messages_are_sent_later() {
    let stage = EmailStage::start().await;
    let room = stage.with_room(ANA).await;
    stage.smtp.set_password("another one");
    stage.post_as_bot(&room, "waits").await.data();
    let health = stage.wait_for_health("unauthorized").await;
    assert!(health["reason"].as_str().is_some_and(|it| it.contains("password")), "{health}");
    assert_eq!(health["way"], "imap");
    stage.wait_for_state(&room, "waits", "queued").await;
    stage.smtp.set_password(PASSWORD);
    let path = format!("/api/v2/email/connect/{}/update", stage.channel);
    stage.office.post(&path, json!({"password": PASSWORD})).await.data();
    stage.wait_for_state(&room, "waits", "sent").await;
    stage.wait_for_health("ok").await;
    let shown = stage.office.get("/api/v2/channels", &[]).await.text;
    assert!(!shown.contains(PASSWORD) && shown.contains("****1234"), "{shown}");
}
