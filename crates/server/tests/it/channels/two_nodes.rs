//! Two nodes with one bot or mailbox: one of them polls, and the other takes over when it ends.

use std::time::{Duration, Instant};

use confab_test_servers::mail::SmtpServer;
use serde_json::json;

use super::email::stage::{self as email, connecting, mailboxes, new_address};
use super::telegram::stage::connect;
use crate::support::office::Office;
use crate::support::process::Folder;
use crate::support::stand_ins::bot_api::BotApi;
use crate::support::waiting::until;

#[tokio::test(flavor = "multi_thread")]
async fn one_node_polls_a_bot_and_the_other_takes_over_after_a_kill() {
    let bot = BotApi::start().await;
    let database = confab_test_servers::postgres::shared().new_schema();
    let folder = Folder::with_database(Some(database)).and_app().await;
    let environment = [("CONFAB_TELEGRAM_API_URL", bot.base.as_str())];
    let (one, two) = (folder.serve_with(&[], &environment), folder.serve_with(&[], &environment));
    connect(&Office::of(&one.shop()), &bot.token()).await;
    let office = Office::of(&two.shop());
    for number in 0..5 {
        bot.writes(77, &format!("message {number}"));
    }
    said(&office, 5).await;
    assert_eq!(bot.conflicts(), 0, "only one node polls");
    one.kill();
    let killed = Instant::now();
    for number in 5..10 {
        bot.writes(77, &format!("message {number}"));
    }
    let texts = said(&office, 10).await;
    let took = killed.elapsed();
    let expected: Vec<_> = (0..10).map(|number| format!("message {number}")).collect();
    println!("taken over after {took:?}, {} conflicts", bot.conflicts());
    assert_eq!(texts, expected);
    assert!(took < Duration::from_secs(60));
}

/// Kills the node that reads the mailbox.
#[tokio::test(flavor = "multi_thread")]
async fn one_node_reads_a_mailbox_and_the_other_takes_over_after_a_kill() {
    const MAILS: usize = 5;
    let (smtp, address) = (SmtpServer::start(email::PASSWORD), new_address());
    let database = confab_test_servers::postgres::shared().new_schema();
    let folder = Folder::with_database(Some(database)).and_app().await;
    let (one, two) = (folder.serve(), folder.serve());
    email::connect(&Office::of(&one.shop()), connecting(&address, &smtp)).await.data();
    let deliver = |count: usize| {
        let from = email::ANA;
        let mail = format!("From: {from}\nMessage-ID: <{count}@c.example>\n\nmail {count}\n");
        mailboxes().deliver(from, &address, &mail);
    };
    // Mails from before the channel was connected are ignored.
    let office = Office::of(&two.shop());
    let mut first = 0;
    until("the mailbox is read", async || {
        deliver(first);
        first += 1;
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        listed["data"]["customer_rooms"][0]["room_id"].as_str().map(|_| ())
    })
    .await;
    let mut sent = first;
    let mut came = async |office: &Office| {
        let begun = Instant::now();
        for _ in 0..MAILS {
            deliver(sent);
            sent += 1;
        }
        let last = format!("mail {}", sent - 1);
        let texts = async || Some(said(office, 1).await).filter(|it| it.contains(&last));
        (until("all messages are posted", texts).await, begun.elapsed())
    };
    came(&office).await;
    one.kill();
    let (_, first_took) = came(&office).await;
    let three = folder.serve();
    two.kill();
    let (texts, second_took) = came(&Office::of(&three.shop())).await;
    let expected: Vec<_> = (first..first + 3 * MAILS).map(|it| format!("mail {it}")).collect();
    let lost = expected.iter().filter(|it| !texts.contains(it)).count();
    let mut once = texts.clone();
    once.dedup();
    let twice = texts.len() - once.len();
    println!("taken over after {first_took:?} and {second_took:?}: lost {lost}, twice {twice}");
    assert_eq!((lost, twice), (0, 0), "{texts:?}");
    assert!(texts.ends_with(&expected), "the mails are posted in order: {texts:?}");
}

async fn said(office: &Office, count: usize) -> Vec<String> {
    let found = async || {
        let listed = office.get("/api/v2/customer_rooms", &[]).await.json();
        let room = listed["data"]["customer_rooms"][0]["room_id"].as_str()?.to_owned();
        assert_ne!(listed["data"], json!(null));
        let mut texts = office.caller.texts(&room).await;
        texts.reverse();
        Some(texts).filter(|texts| texts.len() >= count)
    };
    until("the messages are posted", found).await
}
