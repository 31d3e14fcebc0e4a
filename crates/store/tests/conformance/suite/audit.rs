//! The audit log, sign-ins of an agent, and the app's name.

use confab_domain::agents::linking::CreateSignInCode;
use confab_domain::agents::role::Role;
use confab_domain::agents::signing_in::{SignInAgent, SignInProof};
use confab_domain::agents::signing_out::RecordSignInUse;
use confab_domain::audit::entry::Actor;
use confab_domain::decision::stamp::Stamps;
use confab_domain::ids::{AgentId, AuditId, ID_END};
use confab_domain::support::configuring::ChangeSettings;
use confab_domain::support::settings::Settings;
use confab_domain::time::Timestamp;
use confab_store::{AuditListing, AuditRow};

use crate::world::{World, everywhere};

const ALL: AuditListing = AuditListing {
    before: AuditId(ID_END),
    actor: None,
    what: None,
    from: Timestamp(0),
    until: Timestamp(i64::MAX),
};

async fn found(world: &World, listing: AuditListing) -> Vec<AuditRow> {
    world.store.audit(world.app, &listing, 10).await.expect("read")
}

fn words(found: &[AuditRow]) -> Vec<&str> {
    found.iter().map(|it| it.what.as_str()).collect()
}

fn renamed(name: &str) -> ChangeSettings {
    let wanted = vec![(Settings::IS_SESSIONAL, Some("true".to_owned()))];
    ChangeSettings { app_name: Some(name.to_owned()), wanted }
}

pub async fn audit_entries_are_found_until_they_are_purged(world: &World) {
    let other = world.another_app("other").await;
    let ana = world.create_agent("ana", Role::Admin).await;
    other.create_agent("eve", Role::Admin).await;
    world.decide_by(Actor::SecretKey, renamed("Shop")).await.expect("renamed");
    assert!(world.decide(renamed("Shop")).await.is_ok(), "an unchanged setting is not logged");
    let world = everywhere(world, async |world| {
        let all = found(world, ALL).await;
        assert_eq!(words(&all), ["settings.changed", "agent.created"], "newest first");
        let kinds: Vec<_> = all.iter().map(|it| it.actor_kind.as_str()).collect();
        assert_eq!(kinds, ["secret_key", "server"]);
        let (kind, id) = (all[1].target_kind.as_str(), all[1].target_id.as_str());
        assert_eq!((kind, id), ("agent", ana.user.id.to_string().as_str()));
        let after = all[0].after.as_ref().map(|it| it.as_str());
        assert_eq!(after, Some(r#"{"is_sessional":"true","app_name":"Shop"}"#));
        let by = AuditListing { actor: Some(AgentId(5)), ..ALL };
        assert!(found(world, by).await.is_empty());
        for (what, expected) in [("agent", 1), ("agent.created", 1), ("agen", 0), ("%", 0)] {
            let listing = AuditListing { what: Some(what.to_owned()), ..ALL };
            assert_eq!(found(world, listing).await.len(), expected, "{what}");
        }
        let older = AuditListing { before: all[0].id, ..ALL };
        assert_eq!(words(&found(world, older).await), ["agent.created"]);
        let early = AuditListing { until: all[1].at, ..ALL };
        assert!(found(world, early).await.is_empty());
        assert_eq!(world.app_itself().await.name, "Shop");
        assert_ne!(other.app_itself().await.name, "Shop");
    })
    .await;
    let newest = found(&world, ALL).await[0].at;
    let later = world.reopened_at(Timestamp(newest.0 + 1_000_000)).await;
    later.decide(renamed("Store")).await.expect("renamed");
    assert_eq!(found(&later, ALL).await.len(), 3);
    let forget =
        async || later.store.purge_audit_log(Timestamp(newest.0 + 1)).await.expect("purged");
    assert_eq!(forget().await, 3, "entries of the other app are purged, too");
    assert_eq!(forget().await, 0, "no entry of that time is left");
    assert_eq!(words(&found(&later, ALL).await), ["settings.changed"], "the newer entry stays");
}

pub async fn the_last_use_of_a_sign_in_is_recorded_and_a_code_works_once(world: &World) {
    let ana = world.create_agent("ana", Role::Agent).await;
    world.sign_in(ana.user.id, "of ana").await;
    let begun = world.stamps.now();
    let later = world.reopened_at(Timestamp(begun.0 + 1_000_000_000)).await;
    later.decide(RecordSignInUse { hash: "of ana".to_owned() }).await.expect("recorded");
    let code = CreateSignInCode { user: ana.user.id, hash: "code".to_owned() };
    let until = later.decide(code).await.expect("created");
    let later = everywhere(&later, async |world| {
        let now = world.stamps.now();
        let used = world.store.used_sign_in("of ana", now).await.expect("read").expect("it exists");
        assert!(used.1 > begun, "the time of the last use");
        let shown = world.store.sign_ins(ana.user.id, now).await.expect("read");
        assert_eq!((shown[0].created_at, shown[0].seen_at), (begun, used.1));
        let of_code = world.store.agent_of_code("code", now).await.expect("read");
        assert_eq!(of_code.map(|it| it.profile.user.id), Some(ana.user.id));
        assert!(world.store.agent_of_code("code", until).await.expect("read").is_none());
    })
    .await;
    let later = later.reopened_at(Timestamp(begun.0 + 2_000_000_000)).await;
    let sign_in = SignInAgent {
        user: ana.user.id,
        proof: SignInProof::Code { hash: "code".to_owned() },
        token_hash: "by the code".to_owned(),
        browser: None,
        new_sdk_key: "another key".to_owned(),
    };
    later.decide(sign_in).await.expect("signed in");
    let again = later.store.agent_of_code("code", later.stamps.now()).await.expect("read");
    assert!(again.is_none(), "the code works once");
}
