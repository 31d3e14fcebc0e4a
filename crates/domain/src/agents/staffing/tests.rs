//! Tests of the rules that create, change and delete agents.

use super::*;
use crate::channels::channel::{Channel, ChannelKind};
use crate::example::{self, decided};
use crate::ids::AppId;
use crate::people::user::UserId;
use crate::time::Timestamp;

const ANA: AgentId = AgentId(9);

type Decided<Outcome> = Result<Decision<Outcome>, Refusal>;

fn facts() -> Facts {
    let mut facts = Facts::default();
    facts.omni.accounts.push(example::account(Role::Agent));
    facts
}

fn change(facts: &Facts, by: Option<AgentId>, edit: AgentEdit) -> Decided<AgentRecord> {
    decided(facts, &ChangeAgent { user: ANA, by, edit })
}

fn delete(facts: &Facts, by: Option<AgentId>) -> Decided<()> {
    decided(facts, &DeleteAgent { user: ANA, by, new_sdk_key: "new".to_owned() })
}

fn new() -> HireAgent {
    HireAgent {
        email: EmailAddress::parse("email", "bob@shop.example").expect("valid"),
        name: "Bob".to_owned(),
        role: Role::Supervisor,
        avatar_url: None,
        divisions: None,
        channels: vec![],
        password_hash: "hash".to_owned(),
        code_hash: None,
        sdk_key: "key".to_owned(),
    }
}

#[test]
fn a_new_agent_has_a_speaker_with_the_same_integer() {
    let (facts, app) = (Facts::default(), example::app());
    let created = decided(&facts, &new()).expect("created");
    let Change::User(UserChange::Insert(speaker)) = &created.changes[0] else {
        panic!("the speaker is inserted first")
    };
    let id = created.outcome.profile.user.id;
    assert_eq!((speaker.user.key, speaker.token.as_str()), (UserKey(id.0), "key"));
    let name = UserId::from_stored(format!("{}_{id}@dashboard", app.code.as_str()));
    assert_eq!((&speaker.user.user_id, &created.outcome.profile.sdk_user), (&name, &name));
    assert!(!created.outcome.profile.is_available, "the agent has not signed in yet");
}

#[test]
fn e_mail_addresses_are_unique_and_the_number_of_agents_is_limited() {
    let mut facts = Facts::default();
    facts.omni.agent_count = limits::CANDIDATES_MAX;
    let refused = decided(&facts, &new()).err();
    assert_eq!(refused, Some(Refusal::TooManyAgentsInApp(limits::CANDIDATES_MAX)));
    facts.omni.email_of = Some(AgentId(5));
    let refused = decided(&facts, &new()).err();
    assert_eq!(refused, Some(Refusal::EmailTaken));
}

#[test]
fn fields_that_are_not_given_keep_their_value() {
    let facts = facts();
    let edit = AgentEdit { serves_max: Some(Some(4)), ..AgentEdit::default() };
    let changed = change(&facts, None, edit).expect("changed");
    assert_eq!(changed.changes.len(), 2, "the speaker is unchanged");
    assert_eq!(changed.outcome.serves_max, Some(4));
    let user = &changed.outcome.profile.user;
    assert_eq!((user.name.as_str(), user.role), ("Ana", Role::Agent));
    assert_eq!(user.email, "ana@shop.example");
}

#[test]
fn agents_cannot_change_their_own_role_or_delete_themselves() {
    let facts = facts();
    let promoted = || AgentEdit { role: Some(Role::Admin), ..AgentEdit::default() };
    assert_eq!(change(&facts, Some(ANA), promoted()).err(), Some(Refusal::OwnAccount));
    assert!(change(&facts, None, promoted()).is_ok());
    assert_eq!(delete(&facts, Some(ANA)).err(), Some(Refusal::OwnAccount));
    assert!(delete(&facts, None).is_ok());
}

#[test]
fn the_last_admin_cannot_be_demoted_or_deleted() {
    let mut facts = Facts::default();
    facts.omni.accounts.push(example::account(Role::Admin));
    let of = |role: Role| AgentEdit { role: Some(role), ..AgentEdit::default() };
    let tried = |facts: &Facts| {
        let demoted = change(facts, None, of(Role::Supervisor)).err();
        (demoted, delete(facts, None).err())
    };
    facts.omni.admins = 1;
    assert_eq!(tried(&facts), (Some(Refusal::LastAdmin), Some(Refusal::LastAdmin)));
    assert!(change(&facts, None, of(Role::Admin)).is_ok());
    facts.omni.admins = 2;
    assert_eq!(tried(&facts), (None, None));
}

#[test]
fn the_sdk_key_changes_once_with_the_role_the_password_or_both() {
    let facts = facts();
    let keys = |role: Role, password: Option<&str>| {
        let edit = AgentEdit {
            role: Some(role),
            password_hash: password.map(str::to_owned),
            new_sdk_key: "new key".to_owned(),
            ..AgentEdit::default()
        };
        let Decision { changes, outcome, .. } = change(&facts, None, edit).expect("changed");
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
fn agents_serve_only_channels_of_their_app() {
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
        phone: String::new(),
        deleted_at: None,
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    });
    let update = |ids: &[i64]| change(&facts, None, wanted(ids)).map(|it| it.outcome);
    assert_eq!(update(&[1]).expect("a channel of the app").channels, [ChannelId(1)]);
    assert_eq!(update(&[1, 2]).err(), Some(Refusal::ChannelNotFound(2)));
    assert!(update(&[]).expect("all channels").channels.is_empty());
}
