//! What offices achieve is counted (D-0140).

use std::collections::BTreeMap;

use confab_domain::agents::role::Role;
use confab_domain::decision::change::ServiceChange;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::{AgentId, ChannelId, RoomId};
use confab_domain::people::user::UserRef;
use confab_domain::rooms::room::RoomRef;
use confab_domain::service::answering::{AnswerCustomer, Answerer};
use confab_domain::service::reopening::Reopen;
use confab_domain::service::speaking::{PostAsAgent, PostMessage, Posted};
use confab_domain::service::tally::{Counted, Measure, Tally, TallyKey, quarter};
use confab_domain::webhooks::notice::{AgentProfile, Door};
use confab_store::{TalliesBy, WantedTallies};

use crate::stamps::MORNING;
use crate::world::{World, everywhere, said_by, user_id};

const ALWAYS: WantedTallies = WantedTallies { quarters: (0, i64::MAX), channel: None, agent: None };

async fn tallies(world: &World, by: TalliesBy) -> BTreeMap<i64, Counted> {
    world.store.tallies(world.app, &ALWAYS, by).await.expect("read")
}

/// Everything that can be read.
async fn all(world: &World) -> Vec<BTreeMap<i64, Counted>> {
    let mut all = Vec::new();
    for by in [TalliesBy::All, TalliesBy::Quarter, TalliesBy::Hour, TalliesBy::Channel] {
        all.push(tallies(world, by).await);
    }
    all.push(tallies(world, TalliesBy::Agent).await);
    all
}

async fn answer(world: &World, room: RoomId, by: &AgentProfile) {
    let mut draft = said_by("ana", "yes?");
    draft.sender = UserRef::own(by.sdk_user.clone());
    let answerer = Answerer::Staff(by.user.id);
    world.decide(AnswerCustomer { room, draft, answerer }).await.expect("answered");
}

/// Through the message API, where too little is asked at first.
async fn post(world: &World, room: RoomId, by: &AgentProfile) {
    let mut draft = said_by("ana", "by a server");
    draft.sender = UserRef::own(by.sdk_user.clone());
    let post =
        || PostMessage { room: RoomRef::Id(room), draft: draft.clone(), door: Door::MessageApi };
    let looked = world.decide(post()).await.expect("looked at");
    assert!(matches!(looked, Posted::ByAgent(it) if it == room));
    world.decide(PostAsAgent { post: post(), room }).await.expect("posted");
}

pub async fn what_offices_achieve_is_written_with_each_decision_and_equal_when_made_anew(
    world: &World,
) {
    let (sms, mail) = (world.connect("sms").await, world.connect("mail").await);
    let ana = world.hire("ana", Role::Agent).await;
    let first = world.customer(&sms, "first").await;
    let second = world.customer(&mail, "second").await;
    world.stamps.advance_seconds(60);
    world.assign(first.room, &ana).await;
    answer(world, first.room, &ana).await;
    answer(world, first.room, &ana).await;
    post(world, first.room, &ana).await;
    world.stamps.advance_seconds(3_600);
    world.resolve(first.room, &ana).await;
    world.customer_says(&first, "first", "one more thing").await;
    world.stamps.advance_seconds(900);
    world.resolve(second.room, &ana).await;
    let before = &tallies(world, TalliesBy::All).await[&0];
    assert_eq!((before.opened, before.resolved()), (3, 2));
    assert_eq!((before.messages_in, before.messages_out), (3, 3));
    let is_near =
        |shown: Option<i64>, took: i64| shown.is_some_and(|it| (it - took).abs() * 20 <= took);
    assert!(is_near(before.first_reply.percentile(50), 60), "{:?}", before.first_reply);
    assert!(is_near(before.resolve.percentile(90), 4_560), "{:?}", before.resolve);
    let by = ana.clone();
    let customer = (mail.id, user_id("second"));
    let reopen = Reopen { room: second.room, by, has_served: true, customer };
    world.decide(reopen).await.expect("open again");
    let after = &tallies(world, TalliesBy::All).await[&0];
    assert_eq!((after.opened, after.resolved()), (3, 1), "it is not resolved any more");
    let written = all(world).await;
    assert_eq!(written[3].len(), 2, "channels");
    let name = world.store.channel_name(world.app, sms.id).await.expect("read");
    assert_eq!(name.as_deref(), Some("sms"));
    let elsewhere = world.beside("elsewhere").await;
    assert_eq!(world.store.channel_name(elsewhere.app, sms.id).await.expect("read"), None);
    assert_eq!(written[4].keys().copied().collect::<Vec<_>>(), [0, ana.user.id.0]);
    let registry = world.engine.registry(world.stamps.clone()).await;
    assert!(registry.rebuild_analytics(&world.code).await.expect("made anew"));
    assert_eq!(all(world).await, written);
    world.resolve(second.room, &ana).await;
    assert_eq!(tallies(world, TalliesBy::All).await[&0].resolved(), 2, "it goes on");
    let nobody = confab_domain::app::AppCode::parse("nobody").expect("a code");
    assert!(!registry.rebuild_analytics(&nobody).await.expect("looked"));
}

pub async fn tallies_are_summed_by_time_channel_and_agent_within_their_app(world: &World) {
    let other = world.beside("other").await;
    let start = quarter(MORNING);
    for (world, place, channel, agent, count) in [
        (world, 0, 1, None, 1),
        (world, 0, 1, None, 2),
        (world, 1, 2, Some(AgentId(7)), 4),
        (world, 5, 1, Some(AgentId(7)), 8),
        (&other, 0, 1, None, 100),
    ] {
        let key = TallyKey {
            quarter: start + place,
            channel: ChannelId(channel),
            agent,
            measure: Measure::MessageOut,
        };
        let rule = move |_: &Facts, _: &Stamp<'_>| {
            Ok(Decision::new(vec![ServiceChange::Tally(Tally { key, count }).into()], ()))
        };
        let decided = world.store.decide(world.app, Question::default(), rule).await;
        decided.expect("written");
    }
    everywhere(world, async |world| {
        let read = async |wanted: WantedTallies, by| {
            let found = world.store.tallies(world.app, &wanted, by).await.expect("read");
            found.into_iter().map(|(key, it)| (key, it.messages_out)).collect::<Vec<_>>()
        };
        assert_eq!(read(ALWAYS, TalliesBy::All).await, [(0, 15)]);
        let hour = start - start % 4;
        let quarters = [(start, 3), (start + 1, 4), (start + 5, 8)];
        assert_eq!(read(ALWAYS, TalliesBy::Quarter).await, quarters);
        assert_eq!(read(ALWAYS, TalliesBy::Hour).await, [(hour, 7), (hour + 4, 8)]);
        assert_eq!(read(ALWAYS, TalliesBy::Channel).await, [(1, 11), (2, 4)]);
        assert_eq!(read(ALWAYS, TalliesBy::Agent).await, [(0, 3), (7, 12)]);
        let within = WantedTallies { quarters: (start, start + 5), ..ALWAYS };
        assert_eq!(read(within, TalliesBy::All).await, [(0, 7)]);
        let channel = WantedTallies { channel: Some(ChannelId(1)), ..ALWAYS };
        assert_eq!(read(channel, TalliesBy::Agent).await, [(0, 3), (7, 8)]);
        let agent = WantedTallies { agent: Some(AgentId(7)), ..channel };
        assert_eq!(read(agent, TalliesBy::All).await, [(0, 8)]);
    })
    .await;
}
