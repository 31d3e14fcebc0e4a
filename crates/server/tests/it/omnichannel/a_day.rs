//! A whole day of an app, from the first sign-in to the last logout, through HTTP only.

use serde_json::json;

use super::customers::Messenger;
use super::stage::Day;
use crate::support::answer::text;

#[tokio::test]
async fn all_webhooks_of_a_day_arrive_once_signed_in_order_and_as_documented() {
    a_day_with(Messenger::Custom).await;
}

#[tokio::test]
async fn all_webhooks_of_a_day_with_a_telegram_customer_arrive_as_documented() {
    a_day_with(Messenger::telegram().await).await;
}

#[tokio::test]
async fn all_webhooks_of_a_day_with_a_whatsapp_customer_arrive_as_documented() {
    a_day_with(Messenger::whatsapp().await).await;
}

#[tokio::test]
async fn all_webhooks_of_a_day_with_a_line_customer_arrive_as_documented() {
    a_day_with(Messenger::line().await).await;
}

#[tokio::test]
async fn all_webhooks_of_a_day_with_a_facebook_customer_arrive_as_documented() {
    a_day_with(Messenger::facebook().await).await;
}

#[tokio::test]
async fn all_webhooks_of_a_day_with_an_instagram_customer_arrive_as_documented() {
    a_day_with(Messenger::instagram().await).await;
}

#[tokio::test]
async fn all_webhooks_of_a_day_with_an_email_customer_arrive_as_documented() {
    a_day_with(Messenger::email()).await;
}

const BOT: &str = "I am a bot. A person will come.";

/// Runs the day with a customer on this channel.
async fn a_day_with(messenger: Messenger) {
    let is_custom = matches!(messenger, Messenger::Custom);
    let mut day = Day::begin(&messenger).await;
    let boss = day.office.hire("boss", "admin").await;
    day.register_webhooks(&boss).await;
    let ticket = day.make_button(&boss, "Open a ticket").await;
    let mut ana = day.connect_channel(&boss, messenger).await;
    let budi = day.hire(&boss, "budi").await;

    // The bot answers from its webhook handler, and hands the conversation over to agents.
    let room = day.customer_writes(&ana, "Where is my parcel?").await;
    let kinds = ["new_session", "agent_allocation", "bot"];
    let [session, allocation, bot] = day.next_webhooks_with_answer(kinds, &mut ana, BOT).await;
    assert_eq!(session["is_new_session"], true);
    assert_eq!(allocation["is_new_session"], true);
    assert_eq!(allocation["latest_service"], json!(null));
    assert_eq!(bot["payload"]["message"]["text"], "Where is my parcel?");
    for webhook in [&session, &bot] {
        assert_eq!(webhook["payload"]["room"]["id"], room);
        assert_eq!(webhook["payload"]["from"]["email"], ana.user_id.as_str());
        assert_eq!(webhook["payload"]["message"]["id"], bot["payload"]["message"]["id"]);
    }
    assert_eq!(day.room(&room).await["is_handled_by_bot"], false);

    // The allocator assigns the agent from its webhook handler.
    day.customer_writes(&ana, "A person, please!").await;
    let [allocation] = day.next_webhooks(["agent_allocation"]).await;
    assert_eq!((&allocation["room_id"], &allocation["is_new_session"]), (&room, &json!(false)));
    assert_eq!(allocation["candidate_agent"]["id"], budi.id);
    assert_eq!(day.room(&room).await["is_waiting"], false);

    // No agent is requested from now on, and the bot receives no messages.
    day.reply(&budi, &room, "It comes tomorrow.").await;
    let reply = day.customer_receives(&mut ana, "It comes tomorrow.").await;
    if is_custom {
        assert_eq!(reply["payload"]["from"]["name"], "budi");
    }
    day.customer_writes(&ana, "Thank you!").await;

    day.describe_customer(&boss, &budi, &room).await;
    day.press(&budi, ticket, &room).await;
    let [pressed] = day.next_webhooks(["custom_button"]).await;
    let agent = json!({"email": day.office.email("budi"), "name": "budi", "type": "agent"});
    assert_eq!(pressed["agent"], agent);
    assert_eq!(pressed["room_id"].to_string(), text(&room));
    assert_eq!(pressed["additional_info"], json!([{"key": "Order", "value": "A-1017"}]));
    assert_eq!(pressed["customer_properties"][0]["value"], "Yogyakarta");
    assert_eq!(pressed["tag"][0]["name"], "delivery");

    day.resolve(&budi, &room, "A new date is agreed").await.data();
    day.resolve(&budi, &room, "Again").await.errors(403, "not_your_room");
    let [resolved] = day.next_webhooks(["mark_as_resolved"]).await;
    assert_eq!(resolved["resolved_by"]["id"], budi.id);
    assert_eq!(resolved["customer"]["additional_info"], pressed["additional_info"]);
    let service = &resolved["service"];
    assert_eq!((&service["notes"], &service["room_id"]), (&json!("A new date is agreed"), &room));
    assert_eq!(service["first_comment_id"], session["payload"]["message"]["id_str"]);

    // A new conversation in the same room.
    assert_eq!(day.customer_writes(&ana, "It is broken!").await, room);
    let kinds = ["new_session", "agent_allocation", "bot"];
    let [session, allocation, bot] = day.next_webhooks_with_answer(kinds, &mut ana, BOT).await;
    assert_eq!(session["payload"]["message"]["text"], "It is broken!");
    assert_eq!(allocation["is_new_session"], true);
    assert_eq!(allocation["latest_service"]["id"], service["id"]);
    assert_eq!(allocation["latest_service"]["notes"], "A new date is agreed");
    assert_eq!(bot["payload"]["room"]["id"], room);

    budi.log_out().await.data();
    let [logout] = day.next_webhooks(["logout"]).await;
    assert_eq!(logout["payload"]["user"]["id"], budi.id);
    assert_eq!(logout["payload"]["user"]["is_available"], false);

    let transcript = [
        "Where is my parcel?",
        BOT,
        "A person, please!",
        "budi joined this conversation",
        "It comes tomorrow.",
        "Thank you!",
        "admin marked this conversation as resolved",
        "It is broken!",
        BOT,
    ];
    assert_eq!(day.transcript(&room).await, transcript);
    day.end().await;
}
