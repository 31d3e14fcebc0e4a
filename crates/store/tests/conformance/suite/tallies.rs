//! Counts of support events (D-0140).

use std::collections::BTreeMap;

use confab_domain::agents::role::Role;
use confab_domain::decision::change::SupportChange;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{AgentId, ChannelId, RoomId};
use confab_domain::messages::rating::Rating;
use confab_domain::people::user::UserRef;
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::assignment::tally::{CountedEvents, Measure, Tally, TallyKey, quarter};
use confab_domain::support::conversations::answering::{AnswerCustomer, Answerer};
use confab_domain::support::conversations::reopening::Reopen;
use confab_domain::support::conversations::speaking::{PostAsAgent, PostMessage, PostOutcome};
use confab_domain::support::settings::Settings;
use confab_domain::webhooks::event::{AgentProfile, MessageSource};
use confab_store::{TalliesBy, TallyFilter, rebuild_analytics};

use crate::stamps::MORNING;
use crate::world::{World, draft_by, everywhere, user_id};

const ALWAYS: TallyFilter = TallyFilter { quarters: (0, i64::MAX), channel: None, agent: None };

async fn tallies(world: &World, by: TalliesBy) -> BTreeMap<i64, CountedEvents> {
    world.store.tallies(world.app, &ALWAYS, by).await.expect("read")
}

/// Returns all tallies, by every key.
async fn all(world: &World) -> Vec<BTreeMap<i64, CountedEvents>> {
    let mut all = Vec::new();
    for by in [TalliesBy::All, TalliesBy::Channel, TalliesBy::Agent] {
        all.push(tallies(world, by).await);
    }
    let start = quarter(MORNING);
    let quarters: Vec<_> = (start..start + 96).map(|it| (it, it + 1)).collect();
    let points = world.store.tallies_of_points(world.app, &ALWAYS, &quarters).await;
    all.push(points.expect("read"));
    all
}

/// Counts an event that did not happen.
async fn miscount(world: &World, place: i64, channel: i64, agent: Option<AgentId>, count: i64) {
    let quarter = quarter(MORNING) + place;
    let (channel, measure) = (ChannelId(channel), Measure::MessageOut);
    let key = TallyKey { quarter, channel, agent, measure };
    let rule = move |_: &Facts, _: &Stamp<'_>| {
        Ok(Decision::new(vec![SupportChange::Tally(Tally { key, count }).into()], ()))
    };
    world.store.decide(world.app, Question::default(), rule).await.expect("written");
}

async fn rebuild(world: &World) {
    let rebuilt = rebuild_analytics(&world.engine.location(), &world.code).await;
    assert!(rebuilt.expect("rebuilt"), "the app exists");
}

async fn answer(world: &World, room: RoomId, by: &AgentProfile) {
    let mut draft = draft_by("ana", "yes?");
    draft.sender = UserRef::own(by.sdk_user.clone());
    let answerer = Answerer::Staff(by.user.id);
    world.decide(AnswerCustomer { room, draft, answerer }).await.expect("answered");
}

/// Posts through the message API, whose first question asks for too few facts.
async fn post(world: &World, room: RoomId, by: &AgentProfile) {
    let mut draft = draft_by("ana", "by a server");
    draft.sender = UserRef::own(by.sdk_user.clone());
    let post = || PostMessage {
        room: RoomRef::Id(room),
        draft: draft.clone(),
        message_source: MessageSource::MessageApi,
    };
    let looked = world.decide(post()).await.expect("the first question succeeds");
    assert!(matches!(looked, PostOutcome::ByAgent(it) if it == room));
    world.decide(PostAsAgent { post: post(), room }).await.expect("posted");
}

pub async fn analytics_written_with_each_decision_equal_rebuilt_analytics(world: &World) {
    let (sms, mail) = (world.connect("sms").await, world.connect("mail").await);
    world.set(Settings::ASKS_RATING, "true").await;
    let ana = world.create_agent("ana", Role::Agent).await;
    let first = world.customer(&sms, "first").await;
    let second = world.customer(&mail, "second").await;
    world.stamps.advance_seconds(60);
    world.assign(first.room, &ana).await;
    answer(world, first.room, &ana).await;
    answer(world, first.room, &ana).await;
    post(world, first.room, &ana).await;
    world.stamps.advance_seconds(3_600);
    world.resolve(first.room, &ana).await;
    let rated = world.customer_posts(&first, "first", "Good").await;
    assert_eq!(rated.session.and_then(|it| it.rating), Some(Rating::GOOD));
    world.customer_posts(&first, "first", "one more thing").await;
    world.stamps.advance_seconds(900);
    world.resolve(second.room, &ana).await;
    let before = &tallies(world, TalliesBy::All).await[&0];
    assert_eq!((before.opened, before.resolved()), (3, 2));
    assert_eq!((before.messages_in, before.messages_out), (4, 3));
    assert_eq!(before.ratings.average_hundredths(), Some(500));
    let is_near =
        |shown: Option<i64>, took: i64| shown.is_some_and(|it| (it - took).abs() * 20 <= took);
    assert!(is_near(before.first_reply.percentile(50), 60), "{:?}", before.first_reply);
    assert!(is_near(before.resolve.percentile(90), 4_560), "{:?}", before.resolve);
    let by = ana.clone();
    let customer = (mail.id, user_id("second"));
    let reopen = Reopen { room: second.room, by, has_served: true, customer };
    world.decide(reopen).await.expect("reopened");
    let after = &tallies(world, TalliesBy::All).await[&0];
    assert_eq!(
        (after.opened, after.resolved()),
        (3, 1),
        "a reopened session does not count as resolved"
    );
    let written = all(world).await;
    assert_eq!(written[1].len(), 2, "channels");
    let name = world.store.channel_name(world.app, sms.id).await.expect("read");
    assert_eq!(name.as_deref(), Some("sms"));
    let elsewhere = world.another_app("elsewhere").await;
    assert_eq!(world.store.channel_name(elsewhere.app, sms.id).await.expect("read"), None);
    assert_eq!(written[2].keys().copied().collect::<Vec<_>>(), [0, ana.user.id.0]);
    assert_eq!(
        written[2][&ana.user.id.0].ratings.count, 1,
        "the rating counts for the agent who served"
    );
    rebuild(world).await;
    assert_eq!(all(world).await, written);
    miscount(world, 0, sms.id.0, None, 3).await;
    miscount(world, 4, 77, Some(AgentId(7)), 5).await;
    assert_ne!(all(world).await, written);
    rebuild(world).await;
    assert_eq!(all(world).await, written);
    world.resolve(second.room, &ana).await;
    assert_eq!(
        tallies(world, TalliesBy::All).await[&0].resolved(),
        2,
        "later decisions are counted, too"
    );
    let nobody = confab_domain::app::AppCode::parse("nobody").expect("a code");
    let rebuilt = rebuild_analytics(&world.engine.location(), &nobody).await;
    assert!(!rebuilt.expect("the call succeeds"));
}

pub async fn events_during_an_analytics_rebuild_are_counted_once(world: &World) {
    let sms = world.connect("sms").await;
    let ana = world.create_agent("ana", Role::Agent).await;
    miscount(world, 0, sms.id.0, None, 50).await;
    let people = async {
        for number in 0..40 {
            let room = world.customer(&sms, &format!("customer{number}")).await.room;
            world.assign(room, &ana).await;
            answer(world, room, &ana).await;
            world.resolve(room, &ana).await;
        }
    };
    tokio::join!(people, rebuild(world));
    let written = &tallies(world, TalliesBy::All).await[&0];
    assert_eq!((written.opened, written.resolved()), (40, 40));
    assert_eq!((written.messages_in, written.messages_out), (40, 40));
    let before = all(world).await;
    rebuild(world).await;
    assert_eq!(all(world).await, before);
}

pub async fn analytics_are_summed_by_time_channel_and_agent_within_one_app(world: &World) {
    let other = world.another_app("other").await;
    let start = quarter(MORNING);
    for (world, place, channel, agent, count) in [
        (world, 0, 1, None, 1),
        (world, 0, 1, None, 2),
        (world, 1, 2, Some(AgentId(7)), 4),
        (world, 5, 1, Some(AgentId(7)), 8),
        (&other, 0, 1, None, 100),
    ] {
        miscount(world, place, channel, agent, count).await;
    }
    everywhere(world, async |world| {
        let read = async |wanted: TallyFilter, by| {
            let found = world.store.tallies(world.app, &wanted, by).await.expect("read");
            found.into_iter().map(|(key, it)| (key, it.messages_out)).collect::<Vec<_>>()
        };
        assert_eq!(read(ALWAYS, TalliesBy::All).await, [(0, 15)]);
        let points = async |wanted: TallyFilter, points: &[(i64, i64)]| {
            let found = world.store.tallies_of_points(world.app, &wanted, points).await;
            let found = found.expect("read").into_iter();
            found.map(|(place, it)| (place, it.messages_out)).collect::<Vec<_>>()
        };
        let days = [(start - 9, start), (start, start + 1), (start + 1, start + 6)];
        assert_eq!(points(ALWAYS, &days).await, [(1, 3), (2, 12)], "points of any length");
        assert_eq!(points(ALWAYS, &days[..2]).await, [(1, 3)]);
        assert_eq!(points(ALWAYS, &[]).await, []);
        let one = TallyFilter { channel: Some(ChannelId(1)), ..ALWAYS };
        assert_eq!(points(one, &days).await, [(1, 3), (2, 8)]);
        assert_eq!(read(ALWAYS, TalliesBy::Channel).await, [(1, 11), (2, 4)]);
        assert_eq!(read(ALWAYS, TalliesBy::Agent).await, [(0, 3), (7, 12)]);
        let within = TallyFilter { quarters: (start, start + 5), ..ALWAYS };
        assert_eq!(read(within, TalliesBy::All).await, [(0, 7)]);
        for quarters in [(start, start + 6), (start - 90, start + 30), (start - 1, start + 6)] {
            let all = TallyFilter { quarters, ..ALWAYS };
            assert_eq!(read(all, TalliesBy::All).await, [(0, 15)], "over any range");
        }
        let quarters: Vec<_> = (start - 5..start + 9).map(|it| (it, it + 1)).collect();
        let each = points(ALWAYS, &quarters).await;
        assert_eq!(each, [(5, 3), (6, 4), (10, 8)], "each point has its own sum");
        let channel = TallyFilter { channel: Some(ChannelId(1)), ..ALWAYS };
        assert_eq!(read(channel, TalliesBy::Agent).await, [(0, 3), (7, 8)]);
        let agent = TallyFilter { agent: Some(AgentId(7)), ..channel };
        assert_eq!(read(agent, TalliesBy::All).await, [(0, 8)]);
    })
    .await;
}
