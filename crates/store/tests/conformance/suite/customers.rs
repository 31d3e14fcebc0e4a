//! Customers' rooms: lists of the dashboard, and waiting customers.

use confab_domain::agents::role::Role;
use confab_domain::channels::channel::Channel;
use confab_domain::decision::change::SupportChange;
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{EventId, ID_END, MessageId, RoomId, UserKey};
use confab_domain::support::automation::idling::ResolveIdle;
use confab_domain::support::conversations::customer_room::{BotDuty, CustomerRoom};
use confab_domain::time::Timestamp;
use confab_domain::webhooks::endpoint::Endpoint;
use confab_domain::webhooks::event::AgentProfile;
use confab_domain::webhooks::event_kind::EventKind;
use confab_store::{ListedRoom, Stretch, WaitingCount, WhichRooms};

use crate::world::{World, everywhere, user_id};

/// Position before all rooms of a list, whose first room changed last.
const BEGIN: Stretch = Stretch::After(Timestamp(i64::MAX), RoomId(ID_END));
/// Position after all rooms of a list.
const END: Stretch = Stretch::Before(Timestamp(0), RoomId(0));

/// A channel with one customer for each of `NAMES`: without a message, waiting, served by ana,
/// served by ana and bob, resolved, and waiting again as the last one.
struct Service {
    sms: Channel,
    ana: AgentProfile,
    bob: AgentProfile,
}

const NAMES: [&str; 6] = ["came", "waits", "served", "shared", "resolved", "waits-too"];

async fn service(world: &World) -> Service {
    let (ana, bob) = (
        world.create_agent("ana", Role::Agent).await,
        world.create_agent("bob", Role::Agent).await,
    );
    let sms = world.connect("sms").await;
    for name in NAMES {
        world.stamps.advance_seconds(1);
        let room = world.admit(&sms, name).await;
        if name != "came" {
            world.customer_posts(&room, name, "hello").await;
        }
        if name == "served" || name == "shared" || name == "resolved" {
            world.assign(room.room, &ana).await;
        }
        if name == "shared" {
            world.assign(room.room, &bob).await;
        }
        if name == "resolved" {
            world.resolve(room.room, &ana).await;
        }
    }
    Service { sms, ana, bob }
}

async fn listed(
    world: &World,
    which: &WhichRooms,
    stretch: Stretch,
    size: usize,
) -> Vec<ListedRoom> {
    world.store.customer_rooms(world.app, which, stretch, size).await.expect("read")
}

fn names(rooms: &[ListedRoom]) -> Vec<&str> {
    rooms.iter().map(|it| it.customer.as_str()).collect()
}

fn place(room: &ListedRoom) -> (Timestamp, RoomId) {
    (room.customer_room.updated_at, room.customer_room.room)
}

async fn count(world: &World, which: &WhichRooms, max: usize) -> usize {
    world.store.count_rooms(world.app, which, max).await.expect("counted")
}

async fn room_of(world: &World, channel: &Channel, customer: &str) -> CustomerRoom {
    let customer = user_id(customer);
    let found = world.store.room_of_customer(world.app, channel.id, &customer).await;
    found.expect("read").expect("the customer has a room")
}

pub async fn customer_rooms_are_listed_by_filter_with_the_last_changed_first(world: &World) {
    let Service { sms, ana, bob } = service(world).await;
    for (name, tag) in [("waits", "vip"), ("resolved", "vip"), ("served", "other")] {
        let room = room_of(world, &sms, name).await.room;
        world.tag(room, tag).await;
    }
    let other = world.another_app("other").await;
    let lists: [(WhichRooms, &[&str]); 12] = [
        (WhichRooms::All, &["waits-too", "resolved", "shared", "served", "waits", "came"]),
        (WhichRooms::Resolved(true), &["resolved"]),
        (WhichRooms::Resolved(false), &["waits-too", "shared", "served", "waits", "came"]),
        (WhichRooms::Unserved, &["waits-too", "waits"]),
        (WhichRooms::Served, &["shared", "served"]),
        (WhichRooms::ServedBy(ana.user.id), &["shared", "served"]),
        (WhichRooms::ServedBy(bob.user.id), &["shared"]),
        (WhichRooms::OnceServedBy(ana.user.id), &["resolved"]),
        (WhichRooms::OnceServedBy(bob.user.id), &[]),
        (WhichRooms::LeftBy(ana.user.id), &["resolved"]),
        (WhichRooms::Tagged("vip".to_owned()), &["resolved", "waits"]),
        (WhichRooms::Tagged("nothing".to_owned()), &[]),
    ];
    everywhere(world, async |world| {
        for (which, expected) in &lists {
            assert_eq!(names(&listed(world, which, BEGIN, 10).await), *expected, "{which:?}");
            let reversed: Vec<_> = expected.iter().rev().copied().collect();
            assert_eq!(names(&listed(world, which, END, 10).await), reversed, "{which:?}");
            assert_eq!(count(world, which, 10).await, expected.len(), "{which:?}");
            assert_eq!(count(world, which, 1).await, expected.len().min(1), "{which:?}");
            let theirs = world.store.customer_rooms(other.app, which, BEGIN, 10).await;
            assert!(theirs.expect("read").is_empty(), "{which:?} of another app");
            let theirs = world.store.count_rooms(other.app, which, 10).await;
            assert_eq!(theirs.expect("counted"), 0, "{which:?} of another app");
        }
    })
    .await;
}

pub async fn a_very_long_list_of_served_rooms_has_the_same_order(world: &World) {
    let Service { sms, ana, .. } = service(world).await;
    for name in ["once", "twice"] {
        world.stamps.advance_seconds(1);
        let room = world.customer(&sms, name).await.room;
        world.assign(room, &ana).await;
        world.resolve(room, &ana).await;
    }
    let again = room_of(world, &sms, "twice").await;
    world.customer_posts(&again, "twice", "one more thing").await;
    let agent = ana.user.id;
    let lists = [WhichRooms::OnceServedBy(agent), WhichRooms::LeftBy(agent)];
    let mut before = Vec::new();
    for which in &lists {
        let all = listed(world, which, BEGIN, 10).await;
        let rest =
            listed(world, which, Stretch::After(place(&all[0]).0, place(&all[0]).1), 1).await;
        before.push(
            [all, rest, listed(world, which, END, 10).await]
                .map(|it| it.iter().map(place).collect::<Vec<_>>()),
        );
    }
    assert_eq!((before[0][0].len(), before[1][0].len()), (2, 3));
    assert_eq!(count(world, &lists[0], 10).await, 2);
    // Rooms that no longer exist make the list long.
    let rows: Vec<_> = (1..=2_001).map(|room| format!("(-{room}, {agent}, 0)")).collect();
    world.engine.sql(&format!("INSERT INTO served_rooms VALUES {}", rows.join(", ")));
    for (which, before) in lists.iter().zip(before) {
        let all = listed(world, which, BEGIN, 10).await;
        let rest =
            listed(world, which, Stretch::After(place(&all[0]).0, place(&all[0]).1), 1).await;
        let after = [all, rest, listed(world, which, END, 10).await];
        assert_eq!(after.map(|it| it.iter().map(place).collect::<Vec<_>>()), before, "{which:?}");
    }
}

pub async fn a_room_list_continues_from_any_room_in_both_directions(world: &World) {
    let Service { sms, .. } = service(world).await;
    // Rooms that changed at the same time are ordered by id.
    for name in ["at-once", "at-once-too"] {
        world.customer(&sms, name).await;
    }
    for which in [WhichRooms::All, WhichRooms::Unserved, WhichRooms::Resolved(false)] {
        let all = listed(world, &which, BEGIN, 100).await;
        assert!(all.len() >= 4);
        for (at, room) in all.iter().enumerate() {
            let (time, id) = place(room);
            for size in [1, 2, 100] {
                let after = listed(world, &which, Stretch::After(time, id), size).await;
                let expected: Vec<_> = all.iter().skip(at + 1).take(size).map(place).collect();
                assert_eq!(after.iter().map(place).collect::<Vec<_>>(), expected);
                let before = listed(world, &which, Stretch::Before(time, id), size).await;
                let expected: Vec<_> = all[..at].iter().rev().take(size).map(place).collect();
                assert_eq!(before.iter().map(place).collect::<Vec<_>>(), expected);
            }
        }
    }
}

pub async fn a_customer_room_is_stored_as_decided(world: &World) {
    let Service { sms, ana, .. } = service(world).await;
    world.open_group("no customer's", &[]).await;
    let other = world.another_app("other").await;
    everywhere(world, async |world| {
        for found in listed(world, &WhichRooms::All, BEGIN, 10).await {
            let (room, name) = (found.customer_room.room, found.customer.as_str());
            let alone = world.store.customer_room(world.app, room).await.expect("read");
            let alone = alone.expect("the room has a customer");
            assert_eq!(alone.customer_room, found.customer_room);
            assert_eq!(alone.customer_room, room_of(world, &sms, name).await);
            assert_eq!(
                alone.name,
                format!("The customer {name}"),
                "the room has the name of its customer"
            );
            assert_eq!(alone.customer_name, format!("The customer {name}"));
            assert_eq!(alone.avatar_url, format!("https://example.com/{name}.png"));
            assert_eq!((alone.customer, found.name), (user_id(name), alone.name));
            let theirs = world.store.customer_room(other.app, room).await.expect("read");
            assert!(theirs.is_none(), "the room is not in the other app");
        }
        let group = world.room("no customer's").await.id;
        let found = world.store.customer_room(world.app, group).await.expect("read");
        assert!(found.is_none(), "the room has no customer");
    })
    .await;
    let session = room_of(world, &sms, "resolved").await.session.expect("it exists");
    assert_eq!(session.served_by, Some(ana.user.id));
    assert!(session.resolved_at.is_some() && session.taken_at.is_some());
    let first = world.store.chain(session.room).await.expect("read").remove(0);
    assert_eq!((session.first_message, session.first_message_at), (first.id, first.posted_at));
    let came = room_of(world, &sms, "came").await;
    assert_eq!((came.session, came.waits_since), (None, None));
    assert_eq!(came.brand.as_deref(), Some("acme"), "the brand of the widget");
    let duty = async |name| room_of(world, &sms, name).await.bot_duty;
    assert_eq!(duty("served").await, BotDuty::WhileUnserved);
    assert_eq!((duty("waits").await, duty("resolved").await), (BotDuty::Always, BotDuty::Always));
    assert_eq!(
        came.extras.expect("stored").as_str(),
        r#"{"b":1,"a":1.0}"#,
        "the JSON text is unchanged"
    );
}

pub async fn a_former_agent_of_a_room_can_read_its_events_up_to_their_removal(world: &World) {
    let Service { sms, ana, bob } = service(world).await;
    let (shared, resolved) =
        (room_of(world, &sms, "shared").await, room_of(world, &sms, "resolved").await);
    let has_served = async |world: &World, room: &CustomerRoom, agent: &AgentProfile| {
        world.store.has_served(room.room, agent.user.id).await.expect("read")
    };
    let (key, none) = (UserKey(bob.user.id.0), Vec::<String>::new());
    let caught_up = async |world: &World, after: i64| {
        let found = world.store.events_after(key, EventId(after), 100).await.expect("read");
        let page = world.store.messages_after(key, MessageId(after), 100).await.expect("read");
        let page = world.store.loaded(page).await.expect("read");
        let texts: Vec<_> = page.iter().map(|posted| posted.message.text.clone()).collect();
        assert_eq!(found.events.len(), texts.len());
        texts
    };
    world.unassign(shared.room, &bob).await;
    world.customer_posts(&shared, "shared", "without bob").await;
    let world = &everywhere(world, async |world| {
        assert!(has_served(world, &resolved, &ana).await);
        assert!(!has_served(world, &shared, &ana).await, "she serves the room now");
        assert!(has_served(world, &shared, &bob).await);
        assert!(!has_served(world, &resolved, &bob).await);
        let until = [
            "hello",
            "ana joined this conversation",
            "bob joined this conversation",
            "bob left this conversation",
        ];
        assert_eq!(caught_up(world, 0).await, until);
        assert_eq!(caught_up(world, i64::MAX - 1).await, none);
    })
    .await;
    world.assign(shared.room, &bob).await;
    assert!(!has_served(world, &shared, &bob).await, "he serves the room now");
    let texts = caught_up(world, 0).await;
    assert_eq!(texts[4..], ["without bob", "bob joined this conversation"], "each event once");
    world.resolve(shared.room, &ana).await;
    let last = caught_up(world, 0).await.pop();
    assert_eq!(last.as_deref(), Some("admin marked this conversation as resolved"));
}

pub async fn the_longest_waiting_room_is_first_in_the_queue_until_an_agent_is_assigned(
    world: &World,
) {
    let Service { sms, ana, .. } = service(world).await;
    let first = (Timestamp(0), RoomId(0));
    let queue = async |world: &World, after, size| {
        world.store.queue(world.app, after, size).await.expect("read")
    };
    let waiting = async |world: &World| world.store.waiting_count(world.app).await.expect("read");
    let (waits, too) =
        (room_of(world, &sms, "waits").await, room_of(world, &sms, "waits-too").await);
    let place = |it: &CustomerRoom| (it.waits_since.expect("the room waits"), it.room, it.channel);
    let other = world.another_app("other").await;
    let world = &everywhere(world, async |world| {
        assert_eq!(queue(world, first, 10).await, [place(&waits), place(&too)]);
        assert_eq!(queue(world, first, 1).await, [place(&waits)]);
        let (since, room, _) = place(&waits);
        assert_eq!(queue(world, (since, room), 10).await, [place(&too)]);
        assert_eq!(waiting(world).await, 2);
        assert_eq!(world.store.queue(other.app, first, 10).await.expect("read"), []);
        assert_eq!(world.store.waiting_count(other.app).await.expect("read"), 0);
        for (name, needs_no_agent) in
            [("came", true), ("waits", false), ("served", true), ("resolved", true)]
        {
            let room = room_of(world, &sms, name).await.room;
            let found = world.store.needs_no_agent(room).await.expect("read");
            assert_eq!(found, needs_no_agent, "{name}");
        }
    })
    .await;
    assert!(
        !world.store.needs_no_agent(RoomId(1)).await.expect("read"),
        "the room has no customer"
    );
    world.assign(waits.room, &ana).await;
    assert_eq!(queue(world, first, 10).await, [place(&too)]);
    assert!(world.store.needs_no_agent(waits.room).await.expect("read"));
    world.stamps.advance_seconds(600);
    world.unassign(waits.room, &ana).await;
    assert_eq!(
        queue(world, first, 10).await,
        [place(&waits), place(&too)],
        "the room keeps its place in the queue"
    );
}

pub async fn waiting_rooms_are_listed_longest_first_and_counted_by_channel(world: &World) {
    let sms = world.connect("sms").await;
    let mail = world.connect("mail").await;
    let mut since = Vec::new();
    for (channel, name) in [(&sms, "first"), (&mail, "second"), (&sms, "third")] {
        world.stamps.advance_seconds(1);
        since.push(world.customer(channel, name).await.waits_since.expect("the room waits"));
    }
    let first = room_of(world, &sms, "first").await;
    world.customer_posts(&first, "first", "still here").await;
    let ana = world.create_agent("ana", Role::Agent).await;
    let served = world.customer(&sms, "served").await;
    world.assign(served.room, &ana).await;
    let other = world.another_app("other").await;
    let waiting = async |world: &World, after, size| {
        world.store.waiting_rooms(world.app, after, size).await.expect("read")
    };
    everywhere(world, async |world| {
        let begin = (Timestamp(0), RoomId(0));
        let all = waiting(world, begin, 10).await;
        assert_eq!(names(&all), ["first", "second", "third"]);
        assert_eq!(names(&waiting(world, begin, 1).await), ["first"]);
        let second = (since[1], all[1].customer_room.room);
        assert_eq!(names(&waiting(world, second, 10).await), ["third"]);
        let mut counts = world.store.count_waiting(world.app, 10).await.expect("counted");
        counts.sort_by_key(|it| it.longest_since);
        let counted = |it: &WaitingCount| (it.channel, it.count, it.longest_since);
        let expected = [(sms.id, 2, since[0]), (mail.id, 1, since[1])];
        assert_eq!(counts.iter().map(counted).collect::<Vec<_>>(), expected);
        assert!(counts.iter().all(|it| !it.is_handled_by_bot));
        let bounded = world.store.count_waiting(world.app, 1).await.expect("counted");
        assert_eq!(bounded.iter().map(counted).collect::<Vec<_>>(), [(sms.id, 1, since[0])]);
        assert!(world.store.count_waiting(other.app, 10).await.expect("counted").is_empty());
        assert!(world.store.waiting_rooms(other.app, begin, 10).await.expect("read").is_empty());
        let mut open = world.store.count_open(world.app, 10).await.expect("counted");
        open.sort();
        assert_eq!(open, [(sms.id, 3), (mail.id, 1)]);
        let bounded = world.store.count_open(world.app, 1).await.expect("counted");
        assert_eq!(bounded.iter().map(|it| it.1).sum::<usize>(), 1);
        assert!(world.store.count_open(other.app, 10).await.expect("counted").is_empty());
    })
    .await;
}

pub async fn rooms_are_read_with_their_channel_agents_and_tags(world: &World) {
    let Service { sms, ana, bob } = service(world).await;
    let (shared, waits) =
        (room_of(world, &sms, "shared").await.room, room_of(world, &sms, "waits").await.room);
    for (room, tag) in [(shared, "vip"), (waits, "new"), (shared, "late")] {
        world.tag(room, tag).await;
    }
    everywhere(world, async |world| {
        let found = world.store.customer_room(world.app, shared).await.expect("read");
        let found = found.expect("the room has a customer");
        assert_eq!((found.channel_name.as_str(), found.channel_kind), ("sms", sms.kind));
        assert_eq!(found.served_by_name.as_deref(), Some("bob"), "the agent assigned last");
        let rooms = [waits, shared, RoomId(1)];
        let tags = world.store.tags_of_rooms(world.app, &rooms).await.expect("read");
        let mut tags: Vec<_> =
            tags.iter().map(|(room, it)| (*room, it.tag.name.as_str())).collect();
        tags.sort();
        let mut expected = vec![(shared, "late"), (shared, "vip"), (waits, "new")];
        expected.sort();
        assert_eq!(tags, expected);
        let agents = world.store.agents_of_rooms(&rooms).await.expect("read");
        let agents: Vec<_> = agents.iter().map(|(room, it)| (*room, it.user.id)).collect();
        assert_eq!(agents, [(shared, ana.user.id), (shared, bob.user.id)]);
        assert!(world.store.tags_of_rooms(world.app, &[]).await.expect("read").is_empty());
    })
    .await;
}

pub async fn each_change_of_a_customer_room_raises_its_version(world: &World) {
    let Service { sms, ana, bob } = service(world).await;
    let (room, other) = (room_of(world, &sms, "waits").await, room_of(world, &sms, "came").await);
    let version = async |world: &World, room: RoomId| {
        let found = world.store.customer_room(world.app, room).await.expect("read");
        found.expect("the room has a customer").version
    };
    let (mut before, untouched) =
        (version(world, room.room).await, version(world, other.room).await);
    for deed in ["say", "tag", "assign", "join", "leave", "delete", "resolve"] {
        match deed {
            "say" => drop(world.customer_posts(&room, "waits", "hello again").await),
            "tag" => world.tag(room.room, "vip").await,
            "assign" => world.assign(room.room, &ana).await,
            "join" => world.assign(room.room, &bob).await,
            "leave" => world.unassign(room.room, &bob).await,
            "delete" => {
                let last = world.store.chain(room.room).await.expect("read").remove(0);
                world.delete(&[&last]).await;
            }
            _ => world.resolve(room.room, &ana).await,
        }
        let after = version(world, room.room).await;
        assert!(after > before, "{deed}");
        before = after;
    }
    let see = SupportChange::See { room: room.room, agent: ana.user.id, number: 1 };
    world.change(vec![see.into()]).await;
    everywhere(world, async |world| {
        assert_eq!(version(world, room.room).await, before);
        assert_eq!(version(world, other.room).await, untouched);
    })
    .await;
}

pub async fn seen_marks_are_stored_per_agent_and_never_go_back(world: &World) {
    let Service { sms, ana, bob } = service(world).await;
    let (one, two) =
        (room_of(world, &sms, "waits").await.room, room_of(world, &sms, "came").await.room);
    let agent = ana.user.id;
    let marks = async |world: &World, agent: &AgentProfile| {
        let found = world.store.seen_marks(agent.user.id, &[one, two]).await.expect("read");
        found.into_iter().map(|(room, it)| (room, it.number, it.unread_at)).collect::<Vec<_>>()
    };
    let see = |number| SupportChange::See { room: one, agent, number };
    assert_eq!(marks(world, &ana).await, []);
    world.change(vec![see(3).into()]).await;
    world.change(vec![see(2).into()]).await;
    assert_eq!(marks(world, &ana).await, [(one, 3, None)], "a mark never moves back");
    let unsee = SupportChange::Unsee { room: one, agent, number: 5 };
    world.change(vec![unsee.into()]).await;
    let world = &everywhere(world, async |world| {
        assert_eq!(marks(world, &ana).await, [(one, 3, Some(5))]);
        assert_eq!(marks(world, &bob).await, []);
    })
    .await;
    world.change(vec![see(1).into()]).await;
    assert_eq!(marks(world, &ana).await, [(one, 3, None)]);
    let unsee = SupportChange::Unsee { room: two, agent, number: 4 };
    world.change(vec![unsee.into()]).await;
    let mut both = marks(world, &ana).await;
    both.sort();
    let mut expected = vec![(one, 3, None), (two, 0, Some(4))];
    expected.sort();
    assert_eq!(both, expected);
}

pub async fn rooms_handled_by_a_bot_are_not_queued_while_the_bot_is_enabled(world: &World) {
    let sms = world.connect("sms").await;
    let before = world.customer(&sms, "before").await;
    world.put_endpoint(EventKind::Bot, "https://bot.example/").await;
    world.stamps.advance_seconds(1);
    let with_bot = world.customer(&sms, "with-bot").await;
    assert!(with_bot.is_handled_by_bot && !before.is_handled_by_bot);
    let queue = async |world: &World| {
        let found = world.store.queue(world.app, (Timestamp(0), RoomId(0)), 10).await;
        found.expect("read").into_iter().map(|(_, room, _)| room).collect::<Vec<_>>()
    };
    let waiting = async |world: &World| world.store.waiting_count(world.app).await.expect("read");
    let world = &everywhere(world, async |world| {
        assert_eq!((queue(world).await, waiting(world).await), (vec![before.room], 2));
    })
    .await;
    let off = |endpoint: &mut Endpoint| endpoint.is_enabled = false;
    world.put_endpoint_as(EventKind::Bot, "https://bot.example/", off).await;
    assert_eq!(
        queue(world).await,
        [before.room, with_bot.room],
        "without the bot, agents serve its rooms"
    );
}

pub async fn rooms_of_several_customers_are_read_at_once_with_the_agents_relation(world: &World) {
    let Service { sms, ana, bob } = service(world).await;
    let other = world.another_app("other").await;
    let mut rooms = Vec::new();
    for name in ["served", "shared", "resolved", "waits"] {
        rooms.push(room_of(world, &sms, name).await);
    }
    let contacts: Vec<_> = rooms.iter().map(|it| it.customer).collect();
    let ids: Vec<_> = rooms.iter().map(|it| it.room).collect();
    everywhere(world, async |world| {
        let (app, store) = (world.app, &world.store);
        let start = (UserKey(0), RoomId(0));
        let found = store.rooms_of_contacts(app, &contacts, start, 10).await.expect("read");
        let found: Vec<_> = found.iter().map(|it| (it.customer, it.room)).collect();
        let mut all: Vec<_> = rooms.iter().map(|it| (it.customer, it.room)).collect();
        all.sort();
        assert_eq!(found, all, "ordered by customer");
        let rest = store.rooms_of_contacts(app, &contacts, all[0], 2).await.expect("read");
        let rest: Vec<_> = rest.iter().map(|it| (it.customer, it.room)).collect();
        assert_eq!(rest, all[1..3]);
        let one = store.all_rooms_of_contact(app, contacts[0]).await.expect("read");
        assert_eq!(one, [ids[0]]);
        let nobodys = store.all_rooms_of_contact(other.app, contacts[0]).await;
        assert!(nobodys.expect("read").is_empty());
        let theirs = store.rooms_of_contacts(other.app, &contacts, start, 10).await;
        assert!(theirs.expect("read").is_empty());
        assert_eq!(store.listed_rooms(app, &ids).await.expect("read").len(), 4);
        assert!(store.listed_rooms(other.app, &ids).await.expect("read").is_empty());
        let known = async |agent: &AgentProfile| {
            let mut known = store.rooms_served_by(agent.user.id, &ids).await.expect("read");
            known.sort();
            known
        };
        assert_eq!(known(&ana).await, [(ids[0], true), (ids[1], true), (ids[2], false)]);
        assert_eq!(known(&bob).await, [(ids[1], true)]);
    })
    .await;
}

pub async fn only_idle_conversations_that_wait_for_no_agent_are_resolved_automatically(
    world: &World,
) {
    let Service { sms, ana, .. } = service(world).await;
    let by = world.create_agent("ada", Role::Admin).await;
    let idle = async |since: Timestamp| {
        let first = (Timestamp(0), RoomId(0));
        let found = world.store.idle_rooms(world.app, since, first, 10).await.expect("read");
        found.into_iter().map(|(_, room)| room).collect::<Vec<_>>()
    };
    let (served, shared) =
        (room_of(world, &sms, "served").await, room_of(world, &sms, "shared").await);
    let waits = room_of(world, &sms, "waits").await;
    assert!(idle(Timestamp(0)).await.is_empty());
    world.stamps.advance_seconds(3_600);
    let since = Timestamp(world.stamps.now().0 - 1_800_000_000);
    assert_eq!(idle(since).await, [served.room, shared.room]);
    world.customer_posts(&served, "served", "still there").await;
    let end = async |room: RoomId| {
        let rule = ResolveIdle { room, since, by: by.clone() };
        world.decide(rule).await.expect("decided")
    };
    assert!(!end(served.room).await, "the customer wrote again");
    assert!(!end(waits.room).await, "the customer waits for an agent");
    assert!(end(shared.room).await);
    assert!(!end(shared.room).await, "the session is resolved already");
    assert_eq!(idle(since).await, [RoomId(0); 0]);
    let session = room_of(world, &sms, "shared").await.session.expect("it exists");
    assert_eq!((session.resolved_by, session.served_by.is_some()), (Some(by.user.id), true));
    assert_ne!(ana.user.id, by.user.id);
}
