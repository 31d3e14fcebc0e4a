//! Agents: profiles, the rooms that they serve, and deleted agents.

use confab_domain::agents::role::Role;
use confab_domain::agents::signing_in::{SignInAgent, SignInProof};
use confab_domain::agents::staffing::AgentEdit;
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{AgentId, AuditId, ID_END, RoomId};
use confab_domain::limits;
use confab_domain::support::conversations::customer_room::Candidate;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event::AgentProfile;
use confab_store::AuditListing;

use crate::stamps::MORNING;
use crate::world::service::{PASSWORD_HASH, email};
use crate::world::{World, everywhere};

/// Two agents and an admin, with three waiting customers.
struct Staffed {
    ana: AgentProfile,
    bob: AgentProfile,
    admin: AgentProfile,
    rooms: [RoomId; 3],
}

async fn staffed(world: &World) -> Staffed {
    let admin = world.create_agent("admin", Role::Admin).await;
    let ana = world.create_agent("ana", Role::Agent).await;
    let bob = world.create_agent("bob", Role::Agent).await;
    let sms = world.connect("sms").await;
    let mut rooms = [RoomId(0); 3];
    for (room, customer) in rooms.iter_mut().zip(["cid", "dan", "eve"]) {
        *room = world.customer(&sms, customer).await.room;
    }
    Staffed { ana, bob, admin, rooms }
}

/// Returns names of agents with the number of rooms that they serve.
fn shown(found: &[Candidate]) -> Vec<(&str, u32)> {
    found.iter().map(|it| (it.profile.user.name.as_str(), it.serves)).collect()
}

async fn candidate(world: &World, agent: &AgentProfile) -> Option<Candidate> {
    world.store.agent(world.app, agent.user.id).await.expect("read")
}

pub async fn agents_of_an_app_are_listed_with_the_number_of_rooms_they_serve(world: &World) {
    let Staffed { ana, bob, rooms, .. } = staffed(world).await;
    let mail = world.connect("mail").await;
    let change = AgentEdit {
        name: Some("Ana".to_owned()),
        serves_max: Some(Some(7)),
        channels: Some(vec![mail.id]),
        ..AgentEdit::default()
    };
    world.assign(rooms[0], &ana).await;
    world.assign(rooms[1], &ana).await;
    world.assign(rooms[1], &bob).await;
    world.change_agent(&ana, change).await;
    let other = world.another_app("other").await;
    let theirs = other.create_agent("theirs", Role::Agent).await;
    everywhere(world, async |world| {
        let found = world.store.agents(world.app).await.expect("read");
        assert_eq!(
            shown(&found),
            [("admin", 0), ("Ana", 2), ("bob", 1)],
            "in the order of creation"
        );
        let found = candidate(world, &ana).await.expect("the agent exists");
        assert_eq!((found.serves, found.serves_max), (2, Some(7)));
        assert_eq!(found.channels, [mail.id]);
        assert_eq!(found.profile.avatar_url, ana.avatar_url);
        assert_eq!(
            (found.profile.sdk_user, found.profile.sdk_key),
            (ana.sdk_user.clone(), ana.sdk_key.clone())
        );
        let found = candidate(world, &bob).await.expect("the agent exists");
        assert_eq!((found.serves_max, found.channels.len()), (None, 0));
        assert!(candidate(world, &theirs).await.is_none(), "the agent belongs to another app");
        let found = world.store.agents(other.app).await.expect("read");
        assert_eq!(shown(&found), [("theirs", 0)]);
        let found = world.store.agent(other.app, ana.user.id).await.expect("read");
        assert!(found.is_none(), "ana is no agent of the other app");
    })
    .await;
}

pub async fn a_deleted_agent_is_unlisted_but_reported_until_removed_from_all_rooms(world: &World) {
    let Staffed { ana, bob, rooms, .. } = staffed(world).await;
    world.assign(rooms[0], &ana).await;
    world.assign(rooms[1], &bob).await;
    world.sign_in(ana.user.id, "of ana").await;
    let deleted = async |world: &World, size| world.store.deleted_agents(size).await.expect("read");
    assert_eq!(deleted(world, 10).await, []);
    world.delete_agent(&ana).await;
    world.delete_agent(&bob).await;
    let world = everywhere(world, async |world| {
        assert_eq!(shown(&world.store.agents(world.app).await.expect("read")), [("admin", 0)]);
        assert!(candidate(world, &ana).await.is_none());
        let by_email = world.store.agent_by_email(&email("ana")).await.expect("read");
        assert!(by_email.is_none());
        let signed_in = world.store.signed_in("of ana", MORNING).await.expect("read");
        assert!(signed_in.is_none());
        let mut found = deleted(world, 10).await;
        found.sort();
        assert_eq!(found, [(world.app, ana.user.id), (world.app, bob.user.id)]);
        assert_eq!(deleted(world, 1).await.len(), 1, "limited to the requested size");
    })
    .await;
    world.unassign(rooms[0], &ana).await;
    assert_eq!(
        deleted(&world, 10).await,
        [(world.app, bob.user.id)],
        "an agent removed from all rooms is not reported"
    );
}

pub async fn agents_of_a_room_are_listed_in_the_order_of_assignment(world: &World) {
    let Staffed { ana, bob, rooms, admin } = staffed(world).await;
    for (room, agent) in [(rooms[0], &bob), (rooms[0], &ana), (rooms[2], &bob), (rooms[1], &bob)] {
        world.stamps.advance_seconds(1);
        world.assign(room, agent).await;
    }
    let world = everywhere(world, async |world| {
        let agents = world.store.agents_of_room(rooms[0]).await.expect("read");
        let names: Vec<_> = agents.iter().map(|it| it.user.name.as_str()).collect();
        assert_eq!(names, ["bob", "ana"]);
        assert_eq!(agents[0].sdk_key, bob.sdk_key);
        assert_eq!(served(world, bob.user.id, 10).await, rooms, "ordered by id");
        assert_eq!(
            served(world, bob.user.id, 2).await,
            rooms[..2],
            "limited to the requested size"
        );
        assert_eq!(served(world, ana.user.id, 10).await, rooms[..1]);
        assert_eq!(served(world, admin.user.id, 10).await, []);
        assert!(world.store.agents_of_room(RoomId(1)).await.expect("read").is_empty());
    })
    .await;
    world.unassign(rooms[0], &bob).await;
    assert_eq!(served(&world, bob.user.id, 10).await, rooms[1..]);
    let agents = world.store.agents_of_room(rooms[0]).await.expect("read");
    assert_eq!(agents.len(), 1);
}

async fn served(world: &World, agent: AgentId, size: usize) -> Vec<RoomId> {
    world.store.rooms_of_agent(agent, size).await.expect("read")
}

pub async fn agents_away_since_a_given_time_are_found_while_they_serve_rooms(world: &World) {
    let Staffed { ana, bob, rooms, .. } = staffed(world).await;
    for (room, agent) in [(rooms[0], &ana), (rooms[1], &ana), (rooms[2], &bob)] {
        world.assign(room, agent).await;
        world.set_available(agent, true).await;
    }
    let since = async |world: &World, time: Timestamp, size| {
        let mut found = world.store.away_agents(world.app, time, size).await.expect("read");
        found.sort();
        found
    };
    let before = world.stamps.now();
    assert_eq!(since(world, before, 10).await, [], "no agent is away");
    world.stamps.advance_seconds(60);
    let away = world.stamps.now();
    world.set_available(&ana, false).await;
    world.stamps.advance_seconds(60);
    world.set_available(&bob, false).await;
    let now = world.stamps.now();
    let other = world.another_app("other").await;
    let world = everywhere(world, async |world| {
        assert_eq!(since(world, before, 10).await, []);
        assert_eq!(since(world, away, 10).await, [ana.user.id], "each agent once");
        assert_eq!(since(world, now, 10).await, [ana.user.id, bob.user.id]);
        assert_eq!(since(world, now, 1).await.len(), 1, "limited to the requested size");
        let theirs = world.store.away_agents(other.app, now, 10).await.expect("read");
        assert_eq!(theirs, []);
    })
    .await;
    world.unassign(rooms[2], &bob).await;
    assert_eq!(
        since(&world, now, 10).await,
        [ana.user.id],
        "an agent without rooms is not reported"
    );
}

pub async fn a_sign_in_is_valid_until_it_expires_and_includes_the_agents_channels(world: &World) {
    let Staffed { ana, admin, .. } = staffed(world).await;
    let (mail, sms) = (world.connect("mail").await, world.connect("other").await);
    let channels = Some(vec![sms.id, mail.id]);
    world.change_agent(&ana, AgentEdit { channels, ..AgentEdit::default() }).await;
    world.sign_in(admin.user.id, "of admin").await;
    world.sign_in(ana.user.id, "of ana").await;
    let now = world.stamps.now();
    let end = now.days_later(limits::SIGN_IN_DAYS);
    everywhere(world, async |world| {
        let found = world.store.signed_in("of ana", now).await.expect("read").expect("signed in");
        assert_eq!(found.profile.user.id, ana.user.id);
        assert_eq!(found.profile.last_login_at, Some(now));
        assert_eq!(found.channels, [mail.id, sms.id], "ordered by id");
        let last = Timestamp(end.0 - 1);
        assert!(world.store.signed_in("of ana", last).await.expect("read").is_some());
        assert!(world.store.signed_in("of ana", end).await.expect("read").is_none());
        assert!(world.store.signed_in("of nobody", now).await.expect("read").is_none());
        let shown = world.store.sign_ins(ana.user.id, last).await.expect("read");
        let [sign_in] = shown.as_slice() else { panic!("one sign-in") };
        assert_eq!((sign_in.hash.as_str(), sign_in.created_at), ("of ana", now));
        assert_eq!((sign_in.browser.as_deref(), sign_in.address.as_deref()), (None, None));
        assert!(world.store.sign_ins(ana.user.id, end).await.expect("read").is_empty());
        assert_eq!(world.store.lapsed_agents(last, 10).await.expect("read"), []);
        let mut lapsed = world.store.lapsed_agents(end, 10).await.expect("read");
        lapsed.sort();
        assert_eq!(lapsed, [(world.app, admin.user.id), (world.app, ana.user.id)]);
        assert_eq!(world.store.lapsed_agents(end, 1).await.expect("read").len(), 1);
        let by_email = world.store.agent_by_email(&email("ana")).await.expect("read");
        let (found, hash) = by_email.expect("found");
        assert_eq!((found.profile.user.id, hash.as_str()), (ana.user.id, PASSWORD_HASH));
    })
    .await;
}

pub async fn a_sign_in_code_works_once_and_ends_when_the_password_changes(world: &World) {
    let ana = world.create_agent("ana", Role::Agent).await;
    let registry = world.engine.registry(world.stamps.clone()).await;
    let until = MORNING.days_later(1);
    let email = email("ana");
    assert!(registry.add_sign_in_code(&email, "first", until).await.expect("written"));
    assert!(registry.add_sign_in_code(&email, "second", until).await.expect("written"));
    assert!(!registry.add_sign_in_code("nobody", "third", until).await.expect("the call succeeds"));
    let of_code = async |hash: &str, now: Timestamp| {
        let found = world.store.agent_of_code(hash, now).await.expect("read");
        found.map(|agent| agent.profile.user.id)
    };
    assert_eq!(of_code("first", MORNING).await, Some(ana.user.id));
    assert_eq!(of_code("first", until).await, None, "the code has expired");
    let sign_in = |hash: &str| SignInAgent {
        user: ana.user.id,
        proof: SignInProof::Code { hash: hash.to_owned() },
        token_hash: format!("token by {hash}"),
        browser: None,
        new_sdk_key: "another key".to_owned(),
    };
    world.decide(sign_in("first")).await.expect("signed in");
    assert_eq!(of_code("first", MORNING).await, None, "the code was used");
    assert!(world.decide(sign_in("first")).await.is_err());
    assert_eq!(of_code("second", MORNING).await, Some(ana.user.id));
    registry.set_password(&email, "a new hash", "a new key").await.expect("written");
    assert_eq!(of_code("second", MORNING).await, None, "a new password invalidates sign-in codes");
    let all = AuditListing {
        before: AuditId(ID_END),
        actor: None,
        what: None,
        from: Timestamp(0),
        until: Timestamp(i64::MAX),
    };
    let kept = world.store.audit(world.app, &all, 10).await.expect("read");
    let by_shell: Vec<_> = kept.iter().filter(|it| it.actor_kind == "command_line").collect();
    let deeds: Vec<_> = by_shell.iter().map(|it| it.what.as_str()).collect();
    assert_eq!(deeds, ["agent.changed", "agent.link_made", "agent.link_made"]);
    assert_eq!(by_shell[0].target_id, ana.user.id.to_string());
    assert_eq!(by_shell[0].after.as_ref().map(|it| it.as_str()), Some(r#"{"password":"changed"}"#));
}
