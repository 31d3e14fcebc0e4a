//! Trails of customers' rooms, and the agents recorded in their sessions.

use confab_domain::agents::role::Role;
use confab_domain::ids::{ID_END, SessionId, TrailId};
use confab_domain::json_text::JsonText;
use confab_domain::support::assignment::transferring::Leave;
use confab_domain::support::conversations::answering::{AnswerCustomer, Answerer};
use confab_domain::support::conversations::reopening::Reopen;
use confab_domain::support::conversations::starting::StartConversation;
use confab_domain::support::conversations::trail::TrailKind;

use crate::world::{World, draft_by, everywhere, user_id};

const END: TrailId = TrailId(ID_END);

pub async fn the_trail_of_a_room_contains_its_own_entries_newest_first(world: &World) {
    let sms = world.connect("sms").await;
    let (ana, ben) = (
        world.create_agent("ana", Role::Agent).await,
        world.create_agent("ben", Role::Agent).await,
    );
    let (one, two) = (world.customer(&sms, "one").await, world.customer(&sms, "two").await);
    world.assign(one.room, &ana).await;
    world.assign(two.room, &ben).await;
    world.unassign(one.room, &ana).await;
    let by = ben.user.clone();
    world.decide(Leave { room: two.room, by }).await.expect("left");
    everywhere(world, async |world| {
        let read =
            async |room, before, size| world.store.trail(room, before, size).await.expect("read");
        let all = read(one.room, END, 10).await;
        let kinds: Vec<_> = all.iter().map(|it| it.what).collect();
        assert_eq!(kinds, [TrailKind::Removed, TrailKind::Assigned, TrailKind::Opened]);
        assert_eq!((all[1].agent, all[1].by), (Some(ana.user.id), None));
        assert_eq!((all[2].agent, all[2].by), (None, None));
        assert_eq!(read(one.room, all[0].id, 1).await, all[1..2]);
        assert!(read(one.room, all[2].id, 9).await.is_empty());
        let left = read(two.room, END, 1).await;
        assert_eq!((left[0].agent, left[0].by), (Some(ben.user.id), Some(ben.user.id)));
        let found = world.store.trail_entry(two.room, left[0].id).await.expect("read");
        assert_eq!(found.as_ref(), left.first());
        let elsewhere = world.store.trail_entry(one.room, left[0].id).await.expect("read");
        assert_eq!(elsewhere, None);
    })
    .await;
}

pub async fn a_session_started_by_an_agent_is_marked_unheard_until_the_customer_writes(
    world: &World,
) {
    let sms = world.connect("sms").await;
    let (ada, ben) = (
        world.create_agent("ada", Role::Admin).await,
        world.create_agent("ben", Role::Agent).await,
    );
    let one = world.customer(&sms, "one").await;
    let room = one.room;
    world.resolve(room, &ada).await;
    let draft = draft_by(ben.sdk_user.as_str(), "hello again");
    let (answerer, serves) = (Answerer::Staff(ben.user.id), true);
    let template = JsonText::from_checked("{}".to_owned());
    let start = StartConversation { room, draft, answerer, serves, template };
    let posted = world.decide(start).await.expect("started");
    let newest = async |world: &World| {
        let before = SessionId(ID_END);
        let listed = world.store.sessions_of_room(world.app, room, before, 1).await;
        listed.expect("read").remove(0)
    };
    let session = newest(world).await;
    assert_eq!(session.first_message, posted.message.id);
    assert_eq!(session.served_by, Some(ben.user.id));
    assert!(session.unheard_since.is_some());
    world.customer_posts(&one, "one", "oh").await;
    everywhere(world, async |world| {
        let session = newest(world).await;
        assert_eq!((session.first_message, session.unheard_since), (posted.message.id, None));
    })
    .await;
}

pub async fn sessions_record_their_answering_and_resolving_agents_and_their_reopening(
    world: &World,
) {
    let other = world.another_app("other").await;
    let sms = world.connect("sms").await;
    let (ada, ben) = (
        world.create_agent("ada", Role::Admin).await,
        world.create_agent("ben", Role::Agent).await,
    );
    let one = world.customer(&sms, "one").await;
    world.assign(one.room, &ben).await;
    let draft = draft_by(ben.sdk_user.as_str(), "here I am");
    let (room, answerer) = (one.room, Answerer::Staff(ben.user.id));
    world.decide(AnswerCustomer { room, draft, answerer }).await.expect("answered");
    world.resolve(room, &ada).await;
    world.customer_posts(&one, "one", "me again").await;
    world.resolve(room, &ben).await;
    let customer = (sms.id, user_id("one"));
    let rule = Reopen { room, by: ada.clone(), has_served: false, customer };
    world.decide(rule).await.expect("reopened");
    everywhere(world, async |world| {
        let listed = async |app, before, size| {
            world.store.sessions_of_room(app, room, before, size).await.expect("read")
        };
        let all = listed(world.app, SessionId(ID_END), 10).await;
        let [second, first] = &all[..] else { panic!("two, not {}", all.len()) };
        assert_eq!(
            (first.first_reply_by, first.resolved_by),
            (Some(ben.user.id), Some(ada.user.id))
        );
        assert!(first.first_reply_at.is_some() && first.reopened_at.is_none());
        assert_eq!((second.first_reply_by, second.resolved_by), (None, None));
        assert!(second.reopened_at.is_some() && second.resolved_at.is_none());
        assert_eq!(listed(world.app, second.id, 1).await, all[1..]);
        assert!(
            listed(other.app, SessionId(ID_END), 10).await.is_empty(),
            "it belongs to another app"
        );
    })
    .await;
}

pub async fn the_name_of_a_deleted_agent_stays_readable_in_their_app(world: &World) {
    let other = world.another_app("other").await;
    let ben = world.create_agent("ben", Role::Agent).await;
    world.delete_agent(&ben).await;
    everywhere(world, async |world| {
        let name = async |app| world.store.agent_name(app, ben.user.id).await.expect("read");
        assert_eq!(name(world.app).await.as_deref(), Some("ben"));
        assert_eq!(name(other.app).await, None, "it belongs to another app");
    })
    .await;
}
