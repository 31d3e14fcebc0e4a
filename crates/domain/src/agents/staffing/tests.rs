//! Tests.

use super::*;
use crate::channels::channel::{Channel, ChannelKind};
use crate::example::{self, Counting};
use crate::ids::AppId;
use crate::people::user::UserId;
use crate::time::Timestamp;

const ANA: AgentId = AgentId(9);

fn facts() -> Facts {
    let mut facts = Facts::default();
    facts.omni.accounts.push(example::account(Role::Agent));
    facts
}

fn decided<T>(
    facts: &Facts,
    rule: impl Fn(&Stamp<'_>) -> Result<Decision<T>, Refusal>,
) -> Result<Decision<T>, Refusal> {
    let stamps = Counting::default();
    rule(&Stamp::new(&stamps, facts))
}

fn new() -> NewAgent {
    NewAgent {
        email: EmailAddress::parse("email", "bob@shop.example").expect("valid"),
        name: "Bob".to_owned(),
        role: Role::Supervisor,
        avatar_url: None,
        password_hash: "hash".to_owned(),
        sdk_key: "key".to_owned(),
    }
}

#[test]
fn a_new_worker_has_a_user_of_the_same_integer() {
    let (facts, app) = (Facts::default(), example::app());
    let made = decided(&facts, |stamp| create(&facts, &app, &new(), stamp)).expect("made");
    let Change::User(UserChange::Insert(speaker)) = &made.changes[0] else {
        panic!("the user comes first")
    };
    let id = made.outcome.profile.user.id;
    assert_eq!((speaker.user.key, speaker.token.as_str()), (UserKey(id.0), "key"));
    let name = UserId::from_stored(format!("{}_{id}@dashboard", app.code.as_str()));
    assert_eq!((&speaker.user.user_id, &made.outcome.profile.sdk_user), (&name, &name));
    assert!(!made.outcome.profile.is_available, "nobody signed in yet");
}

#[test]
fn an_address_is_used_once_and_an_app_has_an_end() {
    let app = example::app();
    let mut facts = Facts::default();
    facts.omni.workers = limits::CANDIDATES_MAX;
    let refused = decided(&facts, |stamp| create(&facts, &app, &new(), stamp)).err();
    assert_eq!(refused, Some(Refusal::TooManyWorkers(limits::CANDIDATES_MAX)));
    facts.omni.email_of = Some(AgentId(5));
    let refused = decided(&facts, |stamp| create(&facts, &app, &new(), stamp)).err();
    assert_eq!(refused, Some(Refusal::EmailTaken));
}

#[test]
fn what_is_not_named_stays() {
    let facts = facts();
    let change = AgentEdit { serves_max: Some(Some(4)), ..AgentEdit::default() };
    let changed = decided(&facts, |stamp| update(&facts, ANA, None, &change, stamp));
    let changed = changed.expect("changed");
    assert_eq!(changed.changes.len(), 1, "the user that speaks is the same");
    assert_eq!(changed.outcome.serves_max, Some(4));
    let user = &changed.outcome.profile.user;
    assert_eq!((user.name.as_str(), user.role), ("Ana", Role::Agent));
    assert_eq!(user.email, "ana@shop.example");
}

#[test]
fn nobody_changes_their_own_role_or_deletes_themselves() {
    let facts = facts();
    let change = AgentEdit { role: Some(Role::Admin), ..AgentEdit::default() };
    let own = decided(&facts, |stamp| update(&facts, ANA, Some(ANA), &change, stamp)).err();
    assert_eq!(own, Some(Refusal::OwnAccount));
    assert!(decided(&facts, |stamp| update(&facts, ANA, None, &change, stamp)).is_ok());
    let own = decided(&facts, |stamp| delete(&facts, ANA, Some(ANA), "new", stamp)).err();
    assert_eq!(own, Some(Refusal::OwnAccount));
    assert!(decided(&facts, |stamp| delete(&facts, ANA, None, "new", stamp)).is_ok());
}

#[test]
fn an_app_that_has_an_admin_keeps_one() {
    let mut facts = Facts::default();
    facts.omni.accounts.push(example::account(Role::Admin));
    let demoted = AgentEdit { role: Some(Role::Supervisor), ..AgentEdit::default() };
    let tried = |facts: &Facts| {
        let demoted = decided(facts, |stamp| update(facts, ANA, None, &demoted, stamp)).err();
        let deleted = decided(facts, |stamp| delete(facts, ANA, None, "new", stamp)).err();
        (demoted, deleted)
    };
    facts.omni.admins = 1;
    assert_eq!(tried(&facts), (Some(Refusal::LastAdmin), Some(Refusal::LastAdmin)));
    let same = AgentEdit { role: Some(Role::Admin), ..AgentEdit::default() };
    assert!(decided(&facts, |stamp| update(&facts, ANA, None, &same, stamp)).is_ok());
    facts.omni.admins = 2;
    assert_eq!(tried(&facts), (None, None));
}

#[test]
fn the_key_changes_once_with_the_role_the_password_or_both() {
    let facts = facts();
    let keys = |role: Role, password: Option<&str>| {
        let change = AgentEdit {
            role: Some(role),
            password_hash: password.map(str::to_owned),
            new_sdk_key: "new key".to_owned(),
            ..AgentEdit::default()
        };
        let changed = decided(&facts, |stamp| update(&facts, ANA, None, &change, stamp));
        let Decision { changes, outcome, .. } = changed.expect("changed");
        let is_key = |change: &&Change| matches!(change, Change::User(UserChange::SetToken { .. }));
        (changes.iter().filter(is_key).count(), outcome.profile.sdk_key)
    };
    assert_eq!(keys(Role::Agent, None), (0, "key".to_owned()));
    for (role, password) in
        [(Role::Admin, None), (Role::Agent, Some("hash")), (Role::Admin, Some("hash"))]
    {
        assert_eq!(keys(role, password), (1, "new key".to_owned()), "{role:?} {password:?}");
    }
}

#[test]
fn only_channels_of_the_app_are_served() {
    let mut facts = facts();
    let wanted = |ids: &[i64]| AgentEdit {
        channels: Some(ids.iter().copied().map(ChannelId).collect()),
        ..AgentEdit::default()
    };
    facts.omni.channels.push(Channel {
        id: ChannelId(1),
        app: AppId(1),
        kind: ChannelKind::Widget,
        name: String::new(),
        is_active: true,
        identifier_key: String::new(),
        webhook_url: None,
        logo_url: None,
        deleted_at: None,
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    });
    let update = |ids: &[i64]| {
        decided(&facts, |stamp| update(&facts, ANA, None, &wanted(ids), stamp)).map(|it| it.outcome)
    };
    assert_eq!(update(&[1]).expect("known").channels, [ChannelId(1)]);
    assert_eq!(update(&[1, 2]).err(), Some(Refusal::ChannelNotFound(2)));
    assert!(update(&[]).expect("all").channels.is_empty());
}

#[test]
fn availability_is_ones_own_unless_an_admin_forbids_it() {
    let mut facts = facts();
    let set = |facts: &Facts, is_available| {
        decided(facts, |stamp| set_available(facts, ANA, is_available, stamp)).map(|it| it.outcome)
    };
    let here = set(&facts, true).expect("here");
    assert!(here.profile.is_available && here.away_since.is_none());
    let away = set(&facts, false).expect("away");
    assert_eq!(away.away_since, Some(Timestamp(0)), "since when they were away before");
    facts.omni.accounts[0].worker = here;
    let forced = decided(&facts, |stamp| force_offline(&facts, ANA, true, stamp));
    let forced = forced.expect("forced").outcome;
    assert!(forced.profile.is_forced_offline && !forced.profile.is_available);
    facts.omni.accounts[0].worker = forced;
    assert_eq!(set(&facts, true).err(), Some(Refusal::ForcedOffline));
    assert!(set(&facts, false).is_ok());
    let freed = decided(&facts, |stamp| force_offline(&facts, ANA, false, stamp));
    let freed = freed.expect("freed").outcome;
    assert!(!freed.profile.is_forced_offline && !freed.profile.is_available);
}

#[test]
fn who_is_not_there_is_not_found() {
    let facts = Facts::default();
    let refused = decided(&facts, |stamp| set_available(&facts, ANA, true, stamp)).err();
    assert_eq!(refused, Some(Refusal::AgentNotFound(9)));
}
