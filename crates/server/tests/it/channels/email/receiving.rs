//! Mails are read from a real mailbox, each once, and the mailbox is not changed.

use serde_json::json;

use super::stage::{ANA, EmailStage, connecting, mailboxes};
use crate::support::hooks::Hooks;
use crate::support::office::Office;
use crate::support::process::Folder;
use crate::support::waiting::{until, until_so};

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_is_posted_with_its_subject_and_files_and_stays_in_the_mailbox() {
    let stage = EmailStage::start().await;
    let headers = "Subject: Order 7\nMessage-ID: <1@customer.example>\nMIME-Version: 1.0\n\
                   Content-Type: multipart/mixed; boundary=b";
    let parts = "--b\nContent-Type: text/plain\n\nSee below.\n--b\nContent-Type: image/png\n\
                 Content-Disposition: inline; filename=photo.png\n\
                 Content-Transfer-Encoding: base64\n\niVBORw0KGgo=\n--b--";
    stage.deliver_mail(ANA, headers, parts);
    let room = stage.room_of(ANA).await;
    let said = stage.wait_for_texts(&room, 2).await;
    assert_eq!(said[0], "Order 7\n\nSee below.");
    let all = stage.conversation(&room).await;
    let file = all.iter().find(|it| it["type"] == "file_attachment").expect("a file");
    assert_eq!(file["payload"]["file_name"], "photo.png");
    let url = file["payload"]["url"].as_str().expect("an address");
    let content = reqwest::get(url).await.expect("served").bytes().await.expect("whole");
    assert_eq!(&content[..], b"\x89PNG\r\n\x1a\n");
    let text = all.iter().find(|it| it["type"] == "text").expect("a text");
    assert_eq!(text["extras"]["email"]["subject"], "Order 7");
    stage.deliver_mail(
        ANA,
        "Subject: Re: Order 7\nMessage-ID: <2@customer.example>\nIn-Reply-To: <1@customer.example>",
        "Thanks.\n\nOn Monday, Shop wrote:\n> It is here.",
    );
    assert_eq!(stage.wait_for_texts(&room, 3).await[2], "Thanks.");
    let files = mailboxes().files(&stage.address);
    assert_eq!(files.len(), 2, "both mails stay in the mailbox");
    assert!(
        files.iter().all(|it| !it.to_string_lossy().ends_with('S')),
        "no mail is marked as read"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn automatic_and_repeated_mails_post_nothing() {
    let stage = EmailStage::start().await;
    stage.deliver_mail("bot@customer.example", "Auto-Submitted: auto-replied", "I am away.");
    stage.deliver_mail("news@customer.example", "List-Id: <news.example>", "Buy more.");
    mailboxes().deliver("", &stage.address, "From: mailer-daemon@x.example\n\nNo such user.\n");
    stage.deliver_mail(ANA, "Message-ID: <1@customer.example>", "hello");
    stage.deliver_mail(ANA, "Message-ID: <1@customer.example>", "hello");
    stage.deliver_mail(ANA, "Message-ID: <2@customer.example>", "the last");
    let room = stage.room_of(ANA).await;
    assert_eq!(stage.wait_for_texts(&room, 2).await, ["hello", "the last"]);
    let rooms = stage.office.get("/api/v2/customer_rooms", &[]).await.json();
    assert_eq!(rooms["data"]["customer_rooms"].as_array().map(Vec::len), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renumbered_mailbox_neither_loses_nor_repeats_mails() {
    let stage = EmailStage::start().await;
    stage.deliver_mail(ANA, "Message-ID: <1@customer.example>", "one");
    let room = stage.room_of(ANA).await;
    stage.wait_for_texts(&room, 1).await;
    let set = async |is_active: bool| {
        let path = format!("/api/v2/email/connect/{}/update", stage.channel);
        stage.office.post(&path, json!({"is_active": is_active})).await.data();
    };
    set(false).await;
    mailboxes().renumber(&stage.address);
    stage.deliver_mail(ANA, "Message-ID: <2@customer.example>", "two");
    set(true).await;
    stage.wait_for_texts(&room, 2).await;
    stage.deliver_mail(ANA, "Message-ID: <3@customer.example>", "three");
    assert_eq!(stage.wait_for_texts(&room, 3).await, ["one", "two", "three"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn mails_from_before_the_connection_are_not_posted() {
    let smtp = confab_test_servers::mail::SmtpServer::start(super::stage::PASSWORD);
    let address = super::stage::new_address();
    mailboxes().deliver(ANA, &address, "From: ana@customer.example\n\nfrom long ago\n");
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let office = Office::of(&server.shop());
    let made = super::stage::connect(&office, connecting(&address, &smtp)).await.data();
    let path = format!("/api/v2/channels/{}/health", made["email_channel"]["id"]);
    until_so("the channel is healthy", async || {
        office.get(&path, &[]).await.data()["health"]["state"] == "ok"
    })
    .await;
    let first = async || {
        mailboxes().deliver(ANA, &address, "From: ana@customer.example\n\nnow\n");
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        listed["data"]["customer_rooms"][0]["room_id"].as_str().map(str::to_owned)
    };
    let room = until("there is a room", first).await;
    assert!(office.caller.texts(&room).await.iter().all(|it| it == "now"));
}

/// Kills the program repeatedly while mails arrive.
#[tokio::test(flavor = "multi_thread")]
async fn mails_in_a_mailbox_survive_kills_and_are_posted_once_in_order() {
    const ROUNDS: usize = 3;
    const MAILS: usize = 5;
    let smtp = confab_test_servers::mail::SmtpServer::start(super::stage::PASSWORD);
    let address = super::stage::new_address();
    let folder = Folder::with_app().await;
    let mut server = folder.serve();
    let office = Office::of(&server.shop());
    let made = super::stage::connect(&office, connecting(&address, &smtp)).await.data();
    let path = format!("/api/v2/email/{}", made["email_channel"]["id"]);
    assert_eq!(office.get(&path, &[]).await.status, 200);
    let deliver = |count: usize| {
        let mail = format!("From: {ANA}\nMessage-ID: <{count}@c.example>\n\nmail {count}\n");
        mailboxes().deliver(ANA, &address, &mail);
    };
    let texts = async |office: &Office| {
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        let room = listed["data"]["customer_rooms"][0]["room_id"].as_str()?.to_owned();
        let mut texts = office.caller.texts(&room).await;
        texts.reverse();
        Some(texts)
    };
    // The first mail shows that the mailbox is read; mails from before the channel are ignored.
    let mut first = 0;
    until("the mailbox is read", async || {
        deliver(first);
        first += 1;
        texts(&office).await
    })
    .await;
    let mut sent = first;
    for _ in 0..ROUNDS {
        for _ in 0..MAILS {
            deliver(sent);
            sent += 1;
        }
        let office = Office::of(&server.shop());
        let before = sent - MAILS - 1;
        until_so("some mails are posted", async || {
            texts(&office).await.is_some_and(|it| it.len() > before.saturating_sub(first))
        })
        .await;
        server.kill();
        server = folder.serve();
    }
    let office = Office::of(&server.shop());
    let last = format!("mail {}", sent - 1);
    let said = async || texts(&office).await.filter(|it| it.contains(&last));
    let said = until("all messages are posted", said).await;
    let of_rounds: Vec<_> = (first..sent).map(|it| format!("mail {it}")).collect();
    let lost = of_rounds.iter().filter(|it| !said.contains(it)).count();
    let mut once = said.clone();
    once.dedup();
    let twice = said.len() - once.len();
    println!("{ROUNDS} kills, {} mails: lost {lost}, twice {twice}", sent - first);
    assert_eq!((lost, twice), (0, 0), "{said:?}");
    assert!(said.ends_with(&of_rounds), "the mails are posted in order: {said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bot_is_notified_of_only_the_first_20_mails_of_a_flood() {
    let stage = EmailStage::start().await;
    Hooks::of(&stage.office.caller).register("bot").await;
    for count in 0..24 {
        stage.deliver_mail(
            ANA,
            &format!("Message-ID: <{count}@c.example>"),
            &format!("again {count}"),
        );
    }
    let room = stage.room_of(ANA).await;
    assert_eq!(stage.wait_for_texts(&room, 24).await.len(), 24, "all mails are posted");
    let query = [("kind", "bot"), ("limit", "100")];
    let told = stage.office.get("/api/v2/webhooks/deliveries", &query).await.data();
    assert_eq!(told["deliveries"].as_array().map(Vec::len), Some(20));
}
