//! Channels of providers: accounts, ids of customers, and ids and states of messages.

use confab_domain::channels::channel::{Channel, ChannelKind};
use confab_domain::channels::channel_message::{
    ChannelMessage, ExternalRef, MessageState, PartState,
};
use confab_domain::channels::connecting_providers::{
    ChangeProviderChannel, ConnectProvider, DisconnectProvider,
};
use confab_domain::channels::direct_send::DirectSend;
use confab_domain::channels::identity::Identity;
use confab_domain::channels::provider_account::ProviderAccount;
use confab_domain::channels::provider_health::ProviderState;
use confab_domain::channels::receiving_events::{
    IdentifyCustomer, InboundEvent, StoreInboundEvents,
};
use confab_domain::channels::reporting::{RecordDirectSend, ReportState};
use confab_domain::channels::stopping::RecordChannelHealth;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::purging;
use confab_domain::decision::question::Question;
use confab_domain::decision::stamp::{Stamp, Stamps};
use confab_domain::ids::{AppId, ChannelId, MessageId, RoomId};
use confab_domain::json_text::JsonText;
use confab_domain::people::user::{Realm, UserRef};
use confab_domain::refusal::Refusal;
use confab_domain::support::contacts::erasing::{EraseContact, EraseRoom};
use confab_domain::support::conversations::customer_room::CustomerRoom;
use confab_domain::support::conversations::receiving::{FromChannel, ReceiveFromChannel};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::delivery::{BUCKETS, Lane};
use confab_store::{ScanMark, WriteError};

use crate::world::{World, draft_by, everywhere, user_id};

fn account(token: &str) -> ProviderAccount {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    ProviderAccount {
        settings: [pair("username", "shop_bot")].into(),
        secrets: [pair("bot_token", token), pair("webhook_secret", "hush")].into(),
    }
}

async fn connect(world: &World, account_id: &str) -> Result<Channel, WriteError> {
    let rule = ConnectProvider {
        kind: ChannelKind::Telegram,
        name: "Shop".to_owned(),
        address: "@shop_bot".to_owned(),
        account_id: account_id.to_owned(),
        account: account("77:secret"),
    };
    world.decide(rule).await
}

async fn connected(world: &World) -> Channel {
    connect(world, "77").await.expect("connected")
}

fn identity(external_id: &str) -> Identity {
    Identity { kind: "chat".to_owned(), external_id: external_id.to_owned() }
}

pub async fn disconnecting_a_channel_deletes_the_secrets_of_its_provider_account(world: &World) {
    let channel = connected(world).await;
    let taken = connect(world, "77").await;
    assert!(matches!(taken, Err(WriteError::Refused(Refusal::AccountConnected))));
    let other = world.another_app("other").await;
    let theirs = connect(&other, "77").await.expect("another app can connect the same account");
    let found = world.store.service_account(channel.id).await.expect("read");
    assert!(found == account("77:secret"));
    let found = world.store.service_channel(channel.id).await.expect("read");
    assert!(found.expect("it exists") == channel);
    let all = world.store.service_channels().await.expect("read");
    assert!(all == [channel.clone(), theirs.clone()]);
    let custom = world.connect("sms").await;
    assert!(world.store.service_channel(custom.id).await.expect("read").is_none());
    let mut change = account("77:new");
    change.settings.clear();
    let (name, is_active, forward) = (Some("Renamed".to_owned()), None, None);
    let account_now = change;
    let channel_id = channel.id;
    let change = ChangeProviderChannel {
        channel: channel_id,
        name,
        is_active,
        account: account_now,
        forward,
    };
    world.decide(change).await.expect("changed");
    let found = world.store.service_account(channel.id).await.expect("read");
    assert!(found == account("77:new"));
    world.decide(DisconnectProvider { channel: channel.id }).await.expect("disconnected");
    everywhere(world, async |world| {
        let found = world.store.service_account(channel.id).await.expect("read");
        assert!(found.secrets.is_empty(), "the secrets are deleted");
        assert!(found.setting("username") == "shop_bot");
        assert!(world.store.service_channel(channel.id).await.expect("read").is_none());
        assert!(world.store.service_channels().await.expect("read") == [theirs.clone()]);
    })
    .await;
}

pub async fn one_read_returns_a_named_secret_of_all_channels_of_an_app(world: &World) {
    let first = connected(world).await.id;
    let second = connect(world, "78").await.expect("connected").id;
    let other = world.another_app("other").await;
    connect(&other, "77").await.expect("another app can connect the same account");
    let named = async |world: &World, name: &str| {
        world.store.channel_secrets(world.app, name).await.expect("read")
    };
    let token = |channel| (channel, "77:secret".to_owned());
    assert!(named(world, "bot_token").await == [token(first), token(second)]);
    assert!(named(world, "app_secret").await.is_empty());
    world.decide(DisconnectProvider { channel: first }).await.expect("disconnected");
    everywhere(world, async |world| {
        assert!(named(world, "bot_token").await == [token(second)]);
    })
    .await;
}

pub async fn the_health_and_polling_cursor_of_a_channel_are_stored(world: &World) {
    let channel = connected(world).await.id;
    let health = async |world: &World| {
        world.store.service_health(channel).await.expect("read").expect("it exists")
    };
    assert_eq!(health(world).await.state, ProviderState::Ok);
    assert_eq!(world.store.unwell_channels().await.expect("read"), 0);
    let note = |state| RecordChannelHealth { channel, state, reason: "401".to_owned() };
    assert!(world.decide(note(ProviderState::Unauthorized)).await.expect("recorded"));
    assert!(
        !world.decide(note(ProviderState::Unauthorized)).await.expect("recorded"),
        "the health is unchanged"
    );
    let found = health(world).await;
    assert_eq!((found.state, found.reason.as_str()), (ProviderState::Unauthorized, "401"));
    assert_eq!(world.store.unwell_channels().await.expect("read"), 1);
    assert_eq!(world.store.service_cursor(channel).await.expect("read"), 0);
    let event = |customer: &str, order| InboundEvent {
        customer: customer.to_owned(),
        order,
        body: JsonText::empty_object(),
    };
    let events = vec![event("ana", Some(9)), event("bob", Some(8)), event("ana", Some(7))];
    let received = StoreInboundEvents { channel, events, cursor: Some(10), noted: None };
    assert_eq!(world.decide(received).await.expect("stored"), 3);
    let late = StoreInboundEvents { channel, events: Vec::new(), cursor: Some(5), noted: None };
    world.decide(late).await.expect("stored");
    everywhere(world, async |world| {
        assert_eq!(world.store.service_cursor(channel).await.expect("read"), 10);
        let buckets: Vec<_> = (0..BUCKETS).collect();
        let found = world.store.waiting_deliveries(&buckets, ScanMark::default()).await;
        let lane = Lane::of_customer(channel, "ana");
        let all = found.expect("read").deliveries;
        let mut anas: Vec<_> =
            all.iter().filter(|it| it.lane == lane).map(|it| it.sequence).collect();
        anas.sort_unstable();
        assert_eq!((anas, all.len()), (vec![7, 9], 3), "each in the order given for its customer");
    })
    .await;
}

/// The customer posts a message with this id at their provider.
async fn receive(world: &World, at: &CustomerRoom, name: &str, text: &str) -> FromChannel {
    let mut draft = draft_by("ana", text);
    draft.sender = UserRef::Of(Realm::Channel(at.channel), user_id("ana"));
    let external_id = name.to_owned();
    let external = Some(ExternalRef { channel: at.channel, external_id, part: 0 });
    let rule = ReceiveFromChannel {
        room: at.room,
        draft,
        takes_any: true,
        external,
        also_known_as: Some(format!("{name}, too")),
        said_at: None,
        heard_in: at.room,
        is_quiet: false,
        ends: None,
    };
    world.decide(rule).await.expect("received")
}

pub async fn a_message_reported_twice_by_a_provider_is_stored_once(world: &World) {
    let channel = connected(world).await;
    let room = world.admit(&channel, "ana").await;
    let FromChannel::Received(first) = receive(world, &room, "77:1", "hello").await else {
        panic!("the message is new")
    };
    let message = first.posted.message.id;
    let again = receive(world, &room, "77:1", "hello").await;
    assert!(matches!(again, FromChannel::Known(known) if known.message == message));
    receive(world, &room, "77:2", "more").await;
    let one = async |world: World| receive(&world, &room, "77:3", "at once").await;
    let all = tokio::join!(one(world.clone()), one(world.clone()), one(world.clone()));
    let is_new = |it: &FromChannel| matches!(it, FromChannel::Received(_));
    assert_eq!([&all.0, &all.1, &all.2].into_iter().filter(|it| is_new(it)).count(), 1);
    everywhere(world, async |world| {
        let named = world.store.messages_named(channel.id, "77:1").await.expect("read");
        assert_eq!((named.len(), named[0].message, named[0].room), (1, message, room.room));
        assert!(!named[0].is_outgoing);
        let names = world.store.names_of_message(room.room, message).await.expect("read");
        let ids: Vec<_> = names.iter().map(|it| it.external.external_id.as_str()).collect();
        assert_eq!((ids, &names[0]), (vec!["77:1", "77:1, too"], &named[0]));
        let too = world.store.messages_named(channel.id, "77:1, too").await.expect("read");
        assert_eq!(too, names[1..], "the message is found by its second external id, too");
        let elsewhere = world.store.messages_named(ChannelId(1), "77:1").await.expect("read");
        assert!(elsewhere.is_empty());
        let received = world.store.last_inbound_at(room.room).await.expect("read");
        assert_eq!(received, Some(world.stamps.now()));
        assert_eq!(world.store.last_inbound_at(RoomId(1)).await.expect("read"), None);
        assert!(world.store.last_through(channel.id, false).await.expect("read").is_some());
        assert!(world.store.last_through(channel.id, true).await.expect("read").is_none());
    })
    .await;
}

pub async fn a_customer_is_found_by_each_provider_id_until_erased(world: &World) {
    let channel = connected(world).await;
    let room = world.admit(&channel, "ana").await;
    receive(world, &room, "77:1", "hello").await;
    let customer = room.customer;
    for id in ["77", "78"] {
        world.stamps.advance_seconds(1);
        let identities = vec![identity(id)];
        let rule = IdentifyCustomer { channel: channel.id, customer, identities };
        world.decide(rule).await.expect("identified");
    }
    for id in ["77", "78"] {
        let found = world.store.user_id_of(channel.id, id).await.expect("read");
        assert_eq!(found, Some(user_id("ana")));
    }
    assert_eq!(world.store.user_id_of(channel.id, "79").await.expect("read"), None);
    assert_eq!(world.store.user_id_of(ChannelId(1), "77").await.expect("read"), None);
    let all = world.store.identities(channel.id, customer).await.expect("read");
    assert_eq!(all, [identity("78"), identity("77")], "newest first");
    world.decide(EraseRoom { room: room.room, files: vec![] }).await.expect("erased");
    let found = world.store.customer_of_room(world.app, room.room).await.expect("read");
    let (user, _) = found.expect("a customer");
    let new_token = "a token that nobody has".to_owned();
    world.decide(EraseContact { customer: user, new_token, files: vec![] }).await.expect("erased");
    everywhere(world, async |world| {
        assert_eq!(world.store.user_id_of(channel.id, "77").await.expect("read"), None);
        let named = world.store.messages_named(channel.id, "77:1").await.expect("read");
        assert!(named.is_empty());
    })
    .await;
}

pub async fn message_states_only_advance_in_any_order_of_reports(world: &World) {
    use MessageState::{Delivered, Failed, Queued, Read, Sent};
    let channel = connected(world).await;
    let room = world.admit(&channel, "ana").await.room;
    let report = async |message: i64, state: MessageState| {
        let (message, code, reason) = (MessageId(message), None, None);
        let at = world.stamps.now();
        let state = PartState { room, message, part: 0, state, code, reason, at };
        world.decide(ReportState { state, named: None }).await.expect("sent");
    };
    let stories: [(i64, &[MessageState], MessageState); 5] = [
        (1, &[Queued, Sent, Delivered, Read], Read),
        (2, &[Read, Delivered, Sent], Read),
        (3, &[Sent, Failed, Sent, Delivered], Failed),
        (4, &[Delivered, Failed], Delivered),
        (5, &[Queued, Queued], Queued),
    ];
    for (message, states, _) in stories {
        for state in states {
            report(message, *state).await;
        }
    }
    everywhere(world, async |world| {
        let found = world.store.message_states(room, (MessageId(1), MessageId(5))).await;
        let found: Vec<_> = found.expect("read").iter().map(|it| it.state).collect();
        assert_eq!(found, stories.map(|(.., end)| end));
        let some = world.store.message_states(room, (MessageId(2), MessageId(3))).await;
        assert_eq!(some.expect("read").len(), 2);
    })
    .await;
}

pub async fn outgoing_messages_up_to_a_time_and_queued_parts_are_found(world: &World) {
    let made = connected(world).await;
    let (channel, room) = (made.id, world.admit(&made, "ana").await.room);
    let began = world.stamps.now();
    for message in 1..=4_i64 {
        world.stamps.advance_seconds(1);
        let at = world.stamps.now();
        let external_id = format!("m_{message}");
        let external = ExternalRef { channel, external_id, part: 0 };
        let (message, is_outgoing) = (MessageId(message), true);
        let named = Some(ChannelMessage { external, room, message, is_outgoing, at });
        let (state, code, reason) = (MessageState::Sent, None, None);
        let state = PartState { room, message, part: 0, state, code, reason, at };
        world.decide(ReportState { state, named }).await.expect("sent");
    }
    for (message, part) in [(6, 1), (6, 0), (5, 0)] {
        let (message, at) = (MessageId(message), world.stamps.now());
        let (state, code, reason) = (MessageState::Queued, None, None);
        let state = PartState { room, message, part, state, code, reason, at };
        world.decide(ReportState { state, named: None }).await.expect("sent");
    }
    everywhere(world, async |world| {
        let until = Timestamp(began.0 + 3_000_000);
        let sent = async |limit| {
            let found = world.store.outgoing_until(room, until, limit).await.expect("read");
            found.iter().map(|it| it.message.0).collect::<Vec<_>>()
        };
        assert_eq!(sent(10).await, [3, 2, 1], "newest first, and no later message");
        assert_eq!(sent(2).await, [3, 2]);
        let nowhere = world.store.outgoing_until(RoomId(1), until, 10).await.expect("read");
        assert!(nowhere.is_empty());
        let waiting = world.store.queued_parts(room, 10).await.expect("read");
        let waiting: Vec<_> = waiting.iter().map(|it| (it.message.0, it.part)).collect();
        assert_eq!(waiting, [(5, 0), (6, 0), (6, 1)]);
        assert_eq!(world.store.queued_parts(room, 1).await.expect("read").len(), 1);
    })
    .await;
}

pub async fn the_state_of_a_direct_send_only_advances_and_is_purged_after_a_time(world: &World) {
    use MessageState::{Delivered, Failed, Read, Sent};
    let channel = connected(world).await.id;
    let note = async |name: &str, state: MessageState| {
        let at = world.stamps.now();
        let (code, reason) = (Some("131026".to_owned()), Some("gone".to_owned()));
        let has_failed = state == Failed;
        let sent = DirectSend {
            channel,
            external_id: name.to_owned(),
            state,
            code: code.filter(|_| has_failed),
            reason: reason.filter(|_| has_failed),
            at,
        };
        world.decide(RecordDirectSend(sent)).await.expect("recorded");
    };
    let cases = [
        ("a", vec![Sent, Delivered, Sent, Failed], Delivered),
        ("b", vec![Read, Sent], Read),
        ("c", vec![Sent, Failed, Read], Failed),
    ];
    for (name, states, _) in &cases {
        for state in states {
            note(name, *state).await;
        }
    }
    for (name, _, expected) in &cases {
        let found = world.store.direct_send(channel, name).await.expect("read").expect("it exists");
        assert_eq!((found.state, found.code.is_some()), (*expected, *expected == Failed));
    }
    let elsewhere = world.store.direct_send(ChannelId(1), "a").await.expect("read");
    assert_eq!(elsewhere, None);
    world.stamps.advance_seconds(40 * 24 * 3_600);
    note("d", Sent).await;
    let rule = |_: &Facts, stamp: &Stamp<'_>| Ok(purging::purge_expired(stamp));
    world.store.decide(AppId(0), Question::default(), rule).await.expect("purged");
    everywhere(world, async |world| {
        assert_eq!(world.store.direct_send(channel, "a").await.expect("read"), None);
        assert!(world.store.direct_send(channel, "d").await.expect("read").is_some());
    })
    .await;
}
