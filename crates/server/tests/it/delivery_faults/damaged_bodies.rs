//! A delivery whose body cannot be decrypted blocks its own room only.

use confab_test_servers::postgres::shared;
use confab_test_servers::receiver::Receiver;
use reqwest::Method;
use serde_json::json;

use crate::support::caller::{Caller, sent};
use crate::support::oracle::Verdict;
use crate::support::process::Folder;

const ROOMS: usize = 8;

async fn turn(shop: &Caller, turn: &str) {
    let turned = shop.webhooks(Method::POST, &format!("/endpoints/bot/{turn}"));
    assert_eq!(sent(turned).await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_loaded_together_with_damaged_ones_arrive() {
    let database = shared().new_schema();
    let folder = Folder::with_database(Some(database.clone())).and_app().await;
    let server = folder.serve();
    let shop = server.shop();
    let receiver = Receiver::start().await;
    shop.tell("bot", &receiver.url, &json!({})).await;
    turn(&shop, "pause").await;
    let rooms = shop.open_rooms(ROOMS).await;
    let mut created = Vec::new();
    for number in 0..2 {
        for room in &rooms {
            let delivery = shop.trigger("bot", Some(room)).await;
            created.push((number, room, delivery));
        }
    }
    let (damaged, whole): (Vec<_>, Vec<_>) =
        created.into_iter().partition(|(_, room, _)| rooms[..ROOMS / 2].contains(room));
    for (_, _, delivery) in damaged.iter().filter(|(number, _, _)| *number == 0) {
        // As if it were sealed with a lost key.
        let text = format!("UPDATE deliveries SET body = 's1:gone:x' WHERE id = {delivery}");
        shared().psql_at(&database, &text);
    }
    turn(&shop, "resume").await;
    let whole: Vec<_> = whole.into_iter().map(|(_, _, delivery)| delivery).collect();
    receiver.takes(&whole).await;
    let seen = receiver.seen();
    assert_eq!(Verdict::of(&whole, &seen), Verdict::default());
    assert_eq!(seen.len(), whole.len(), "deliveries behind a damaged one wait");
    println!("{} sent next to damaged ones: lost 0, duplicated 0, out of order 0", whole.len());
}
