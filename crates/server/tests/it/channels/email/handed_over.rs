//! A mail server delivers mails by LMTP: each mail answered with 250 is received exactly once
//! (design/channels).

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use confab_domain::limits;
use confab_test_servers::mail::{LmtpClient, SmtpServer, python};
use serde_json::json;

use super::stage::{ANA, EmailStage, PASSWORD, connect, header, new_address, without_mailbox};
use crate::support::answer::items;
use crate::support::office::Office;
use crate::support::process::{Confab, Folder};
use crate::support::waiting::until;

/// A Python LMTP client that delivers its standard input.
const CLIENT: &str = "import smtplib, sys\n\
    with smtplib.LMTP('127.0.0.1', int(sys.argv[1])) as server:\n\
    \x20   print(server.sendmail(sys.argv[2], sys.argv[3:], sys.stdin.buffer.read()))\n";

fn mail(count: usize) -> String {
    format!("From: {ANA}\nMessage-ID: <{count}@c.example>\n\nmail {count}\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_delivered_by_lmtp_is_posted_with_its_files_and_can_be_answered() {
    let stage = EmailStage::handed_over(&[]).await;
    let text = format!(
        "From: Ana <{ANA}>\nTo: {}\nSubject: Order 7\nMessage-ID: <1@customer.example>\n\
         MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\
         Content-Type: text/plain\n\nSee below.\n.\n..\n--b\nContent-Type: image/png\n\
         Content-Disposition: inline; filename=photo.png\n\
         Content-Transfer-Encoding: base64\n\niVBORw0KGgo=\n--b--\n",
        stage.address
    );
    let port = stage.server.lmtp.expect("the LMTP listener accepts connections").port().to_string();
    let mut client = Command::new(python().expect("a Python"))
        .args(["-c", CLIENT, &port, ANA, &stage.address, "nobody@shop.example"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let text = text.replace('\n', "\r\n");
    client.stdin.take().expect("piped").write_all(text.as_bytes()).expect("written");
    let said = client.wait_with_output().expect("the process ends");
    let refused = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.status.success(), "{refused}");
    assert!(refused.contains("'nobody@shop.example': (550"), "{refused}");
    assert!(!refused.contains(&stage.address), "{refused}");
    let room = stage.room_of(ANA).await;
    let said = stage.wait_for_texts(&room, 2).await;
    assert_eq!(said[0], "Order 7\n\nSee below.\n.\n..");
    let all = stage.conversation(&room).await;
    let file = all.iter().find(|it| it["type"] == "file_attachment").expect("a file");
    assert_eq!(file["payload"]["file_name"], "photo.png");
    let url = file["payload"]["url"].as_str().expect("an address");
    let content = reqwest::get(url).await.expect("served").bytes().await.expect("whole");
    assert_eq!(&content[..], b"\x89PNG\r\n\x1a\n");
    let admin = stage.office.hire("boss", "admin").await;
    stage.post_reply(&admin, &room, "It is here.").await;
    let sent = stage.mails(1).await;
    assert_eq!(header(&sent[0], "In-Reply-To"), "<1@customer.example>");
    let health = stage.wait_for_health("ok").await;
    assert_eq!((&health["way"], &health["notes"]), (&json!("lmtp"), &json!([])));
}

#[tokio::test(flavor = "multi_thread")]
async fn lmtp_answers_each_recipient_separately() {
    let stage = EmailStage::handed_over(&[]).await;
    let off = new_address();
    let made = connect(&stage.office, without_mailbox(&off, &stage.smtp)).await.data();
    let path = format!("/api/v2/email/connect/{}/update", made["email_channel"]["id"]);
    stage.office.post(&path, json!({"is_active": false})).await.data();
    let with_tag = stage.address.replace('@', "+order-7@");
    let in_capitals = stage.address.to_uppercase();
    let to: [&str; 5] = [&stage.address, "nobody@elsewhere.example", &off, &with_tag, &in_capitals];
    let mut server = stage.mail_server();
    let answers = server.hand_over(ANA, &to, &mail(1)).expect("answers");
    let codes: Vec<_> = answers.iter().map(|it| &it[..3]).collect();
    assert_eq!(codes, ["250", "550", "451", "250", "250"], "{answers:?}");
    let answers = server.hand_over(ANA, &["nobody@elsewhere.example"], &mail(2)).expect("answers");
    assert!(
        answers[0].starts_with("550 5.1.1"),
        "mails for other addresses are not relayed: {answers:?}"
    );
    // Mails queued at the mail server arrive once the channel is active again.
    stage.office.post(&path, json!({"is_active": true})).await.data();
    let answers = server.hand_over(ANA, &[&off], &mail(3)).expect("answers");
    assert!(answers[0].starts_with("250"), "{answers:?}");
    let room = stage.room_of(ANA).await;
    stage.wait_until_delivered().await;
    assert_eq!(
        stage.wait_for_texts(&room, 1).await,
        ["mail 1"],
        "the three addresses belong to one channel"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_recipients_do_not_end_the_connection_of_a_mail_server() {
    let stage = EmailStage::handed_over(&[]).await;
    let mut server = stage.mail_server();
    for count in 0..40 {
        let unknown = format!("nobody{count}@shop.example");
        let answers = server.hand_over(ANA, &[&unknown], &mail(count)).expect("answers");
        assert!(answers[0].starts_with("550 5.1.1"), "{answers:?}");
    }
    let answers = server.hand_over(ANA, &[&stage.address], &mail(41)).expect("answers");
    assert!(answers[0].starts_with("250"), "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_and_automatic_mails_post_nothing() {
    let stage = EmailStage::handed_over(&[]).await;
    let mut server = stage.mail_server();
    let mut deliver_by_lmtp = |from: &str, mail: &str| {
        let answers = server.hand_over(from, &[&stage.address], mail).expect("answers");
        assert!(answers[0].starts_with("250"), "{answers:?}");
    };
    deliver_by_lmtp("", "From: postmaster@x.example\n\nNo such user.\n");
    deliver_by_lmtp("", &format!("From: {ANA}\nReturn-Path: <{ANA}>\n\nundelivered\n"));
    deliver_by_lmtp("bot@x.example", "From: bot@x.example\nAuto-Submitted: auto-replied\n\naway\n");
    deliver_by_lmtp(&stage.address, &format!("From: {}\n\nto myself\n", stage.address));
    for count in [1, 1, 2, 1] {
        deliver_by_lmtp(ANA, &mail(count));
    }
    let room = stage.room_of(ANA).await;
    stage.wait_until_delivered().await;
    assert_eq!(stage.wait_for_texts(&room, 2).await, ["mail 1", "mail 2"]);
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(items(&rooms["data"]["customer_rooms"]).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn oversized_invalid_and_interrupted_lmtp_commands_are_refused() {
    let stage = EmailStage::handed_over(&[]).await;
    let mut server = stage.mail_server();
    let mut says = |line: &str, expected: &str| {
        let answer = server.says(line).expect("an answer");
        assert!(answer.starts_with(expected), "{line}: {answer}");
    };
    says("EHLO x", "500");
    says("RCPT TO:<a@x.example>", "503");
    says("DATA", "503");
    says("MAIL FROM:<a@x.example> SIZE=26214401", "552");
    says("MAIL FROM:<a@x.example> SIZE=26214400", "250");
    says("MAIL FROM:<a@x.example>", "503");
    says("DATA", "503");
    says("RSET", "250");
    // No recipient was accepted, and no mail follows.
    says("MAIL FROM:<a@x.example>", "250");
    says("RCPT TO:<nobody@shop.example>", "550");
    says("DATA", "503");
    says("RSET", "250");
    let large = format!("{}{}", mail(1), "x".repeat(26_214_400));
    let answers = server.hand_over(ANA, &[&stage.address], &large).expect("an answer");
    assert!(answers[0].starts_with("552"), "{answers:?}");
    server.says(&format!("MAIL FROM:<{ANA}>")).expect("an answer");
    server.says(&format!("RCPT TO:<{}>", stage.address)).expect("an answer");
    server.says("DATA").expect("an answer");
    let answer = server.says(".").expect("an answer");
    assert!(answer.starts_with("554"), "an empty mail is refused: {answer}");
    // A mail within a mail, for a server that mistakes a bare line feed for a line end.
    let hidden = "\n.\nMAIL FROM:<b@x.example>\nRCPT TO:<c@x.example>\nDATA\nhidden";
    server.says(&format!("MAIL FROM:<{ANA}>")).expect("an answer");
    server.says(&format!("RCPT TO:<{}>", stage.address)).expect("an answer");
    server.says("DATA").expect("an answer");
    let whole = format!("From: {ANA}\r\n\r\nbefore{hidden}\r\n.\r\n");
    server.writes(&whole).expect("written");
    assert!(server.answer().expect("an answer").starts_with("250"));
    let room = stage.room_of(ANA).await;
    assert_eq!(stage.wait_for_texts(&room, 1).await, [format!("before{hidden}")]);
    // An interrupted mail is not received.
    server.says(&format!("MAIL FROM:<{ANA}>")).expect("an answer");
    server.says(&format!("RCPT TO:<{}>", stage.address)).expect("an answer");
    server.says("DATA").expect("an answer");
    server.writes(&format!("From: {ANA}\r\n\r\nhalf of it\r\n.")).expect("written");
    drop(server);
    let mut server = stage.mail_server();
    let answer = server.says(&"x".repeat(limits::LMTP_LINE_BYTES_MAX + 1)).expect("an answer");
    assert!(answer.starts_with("500 5.5.6"), "{answer}");
    assert!(server.says("NOOP").is_err(), "the server closes the connection");
    let mut server = stage.mail_server();
    let wrong = (0..100).map(|_| server.says("EHLO x")).take_while(Result::is_ok).count();
    assert!(wrong < 30, "{wrong} wrong commands");
    stage.wait_until_delivered().await;
    assert_eq!(stage.wait_for_texts(&room, 1).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_over_the_limit_is_refused_until_another_closes() {
    let stage = EmailStage::handed_over(&[]).await;
    let mut all: Vec<_> = (0..limits::LMTP_CONNECTIONS_MAX).map(|_| stage.mail_server()).collect();
    let port = stage.server.lmtp.expect("the LMTP listener accepts connections").port();
    let refused = LmtpClient::connect(port)
        .err()
        .expect("a connection over the limit is refused")
        .to_string();
    assert!(refused.starts_with("421"), "{refused}");
    all.pop();
    let mut server =
        until("a connection is accepted again", async || LmtpClient::connect(port).ok()).await;
    let answers = server.hand_over(ANA, &[&stage.address], &mail(1)).expect("an answer");
    assert!(answers[0].starts_with("250"), "{answers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attachment_over_the_upload_limit_is_named_and_not_stored() {
    let stage = EmailStage::handed_over(&[("app_upload_bytes_max", "10")]).await;
    let mail = |count: usize, content: &str| {
        format!(
            "From: {ANA}\nMessage-ID: <{count}@c.example>\nMIME-Version: 1.0\n\
             Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\n\
             mail {count}\n--b\nContent-Type: text/csv\n\
             Content-Disposition: attachment; filename=list.csv\n\n{content}\n--b--\n"
        )
    };
    let mut server = stage.mail_server();
    for (count, content) in [(1, "fits"), (2, "this does not fit")] {
        let mail = mail(count, content);
        let answers = server.hand_over(ANA, &[&stage.address], &mail).expect("an answer");
        assert!(answers[0].starts_with("250"), "{answers:?}");
    }
    let room = stage.room_of(ANA).await;
    let said = stage.wait_for_texts(&room, 4).await;
    assert!(said[3].contains("list.csv") && said[3].contains("exceeds"), "{said:?}");
    let kept = walked(&stage.server.files());
    assert_eq!(kept.len(), 1, "{kept:?}");
}

/// Returns all files below a folder.
fn walked(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path().is_dir() {
            true => found.extend(walked(&entry.path())),
            false => found.push(entry.path()),
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_already_connected_or_without_lmtp_is_refused() {
    let domains = ("lmtp_domains", "shop.example=shop, shop.example=rival");
    let stage = EmailStage::handed_over(&[domains]).await;
    let rival = Office::of(&stage.server.create_app("rival").await);
    let refused = connect(&rival, without_mailbox(&stage.address, &stage.smtp)).await;
    refused.errors(400, "invalid_request").says("another app that shares its domain");
    let again = connect(&stage.office, without_mailbox(&stage.address, &stage.smtp)).await;
    again.errors(409, "account_connected");
    // Without the setting no mail could be received.
    let stage = EmailStage::start().await;
    let refused = connect(&stage.office, without_mailbox(&new_address(), &stage.smtp)).await;
    refused.errors(400, "invalid_request").says("lmtp_listen");
}

/// Returns the port at which a process receives mails.
fn lmtp_port(server: &Confab) -> u16 {
    let line = server.log.wait_for("listening for LMTP");
    let port = line.rsplit(':').next().and_then(|it| it.trim().parse().ok());
    port.unwrap_or_else(|| panic!("a port in {line}"))
}

/// Kills the program while a mail server delivers one mail after the other and repeats each until
/// it is accepted.
#[tokio::test(flavor = "multi_thread")]
async fn mails_accepted_by_lmtp_survive_kills_and_are_posted_once_in_order() {
    const ROUNDS: usize = 4;
    const MAILS: usize = 10;
    let smtp = SmtpServer::start(PASSWORD);
    let address = new_address();
    let folder = Folder::with_app().await;
    let arguments = ["--lmtp-listen", "127.0.0.1:0"];
    let mut server = folder.serve_with(&arguments, &[]);
    connect(&Office::of(&server.shop()), without_mailbox(&address, &smtp)).await.data();
    let mut taken = 0;
    for _ in 0..ROUNDS {
        let (port, first, enough) = (lmtp_port(&server), taken, taken + MAILS);
        let is_killed = AtomicBool::new(false);
        taken = std::thread::scope(|scope| {
            let sending = scope.spawn(|| {
                let mut client =
                    LmtpClient::connect(port).expect("the LMTP listener accepts connections");
                let mut count = first;
                loop {
                    match client.hand_over(ANA, &[&address], &mail(count)) {
                        Ok(answers) if answers[0].starts_with("250") => count += 1,
                        Ok(answers) => panic!("{answers:?}"),
                        // The mail is delivered again, whether or not it was stored.
                        Err(_) if is_killed.load(Ordering::SeqCst) => return count,
                        Err(error) => panic!("the connection failed: {error}"),
                    }
                    if count == enough {
                        // Mails are still being delivered when the kill happens.
                        is_killed.store(true, Ordering::SeqCst);
                    }
                }
            });
            while !is_killed.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            server.kill();
            sending.join().expect("the process ends")
        });
        server = folder.serve_with(&arguments, &[]);
    }
    let mut client =
        LmtpClient::connect(lmtp_port(&server)).expect("the LMTP listener accepts connections");
    let answers = client.hand_over(ANA, &[&address], &mail(taken)).expect("an answer");
    assert!(answers[0].starts_with("250"), "{answers:?}");
    taken += 1;
    let office = Office::of(&server.shop());
    let texts = async || {
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        let room = listed["data"]["customer_rooms"][0]["room_id"].as_str()?.to_owned();
        let mut texts = office.caller.texts(&room).await;
        texts.reverse();
        let last = format!("mail {}", taken - 1);
        Some(texts).filter(|it| it.contains(&last))
    };
    let said = until("all messages are posted", texts).await;
    let expected: Vec<_> = (0..taken).map(|it| format!("mail {it}")).collect();
    let lost = expected.iter().filter(|it| !said.contains(it)).count();
    let twice = said.len().saturating_sub(taken - lost);
    println!("{ROUNDS} kills, {taken} mails: lost {lost}, twice {twice}");
    assert_eq!((lost, twice), (0, 0), "{said:?}");
    assert_eq!(said, expected, "the mails are posted in order");
}
