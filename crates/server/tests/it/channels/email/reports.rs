//! Delivery reports of mail servers: only a report about the message's own recipient changes its
//! state.

use super::stage::{ANA, EmailStage, header};

fn report(of: &str, recipient: &str) -> String {
    format!(
        "From: mailer-daemon@mx.example\nMessage-ID: <{recipient}.report@mx.example>\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n\
         --b\nContent-Type: text/plain\n\nSorry.\n--b\n\
         Content-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n\n\
         Final-Recipient: rfc822; other@customer.example\nAction: delivered\nStatus: 2.0.0\n\n\
         Final-Recipient: rfc822;\n {recipient}\nAction: failed\nStatus: 5.2.2\n\
         Diagnostic-Code: smtp; 552\n mailbox full\n\n--b\n\
         Content-Type: text/rfc822-headers\n\nMessage-ID: {of}\n--b--\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_about_another_recipient_changes_no_state_and_is_given_up() {
    let stage = EmailStage::handed_over(&[]).await;
    let mut server = stage.mail_server();
    let mut deliver_by_lmtp = |mail: &str| {
        let answers = server.hand_over("", &[&stage.address], mail).expect("an answer");
        assert!(answers[0].starts_with("250"), "{answers:?}");
    };
    let mail = format!("From: {ANA}\nReturn-Path: <{ANA}>\nMessage-ID: <1@c.example>\n\nhello\n");
    let answers = stage.mail_server().hand_over(ANA, &[&stage.address], &mail).expect("an answer");
    assert!(answers[0].starts_with("250"), "{answers:?}");
    let room = stage.room_of(ANA).await;
    stage.wait_for_texts(&room, 1).await;
    stage.post_as_bot(&room, "It is on its way.").await.data();
    stage.wait_for_state(&room, "It is on its way.", "sent").await;
    let mails = stage.mails(1).await;
    let id = header(&mails[0], "Message-ID");
    // The report lists another recipient as delivered, which changes nothing either.
    for recipient in ["eve@evil.example", "ana@customer.example.evil"] {
        deliver_by_lmtp(&report(id, recipient));
    }
    assert_eq!(stage.given_up(2).await.len(), 2);
    stage.wait_for_state(&room, "It is on its way.", "sent").await;
    deliver_by_lmtp(&report("<confab.7.1.1.0@shop.example>", ANA));
    deliver_by_lmtp(&report(id, "Ana@Customer.example"));
    let status = stage.wait_for_state(&room, "It is on its way.", "failed").await;
    assert_eq!(status["code"], "5.2.2");
    assert!(status["reason"].as_str().is_some_and(|it| it.ends_with("552 mailbox full")));
    assert_eq!(
        stage.given_up(2).await.len(),
        2,
        "a report about an unknown message is not given up"
    );
    assert_eq!(stage.wait_for_texts(&room, 2).await.len(), 2, "reports are not posted");
}
