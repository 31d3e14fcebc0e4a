//! Tests of the rules that sign agents in and out.

use std::sync::Arc;

use super::*;
use crate::agents::account::SignInCode;
use crate::agents::role::Role;
use crate::decision::context::Renderers;
use crate::example::{self, CountingStamps, decided};
use crate::json_text::JsonText;
use crate::support::automation::office_hours::LocalTime;

const ANA: AgentId = AgentId(9);

fn facts(account: Account) -> Facts {
    let mut facts = Facts::default();
    facts.omni.accounts.push(account);
    facts
}

fn now() -> Timestamp {
    crate::decision::stamp::Stamps::now(&CountingStamps::default())
}

fn valid(hash: &str, days: u32) -> SignIn {
    SignIn { id: SignInId(days.into()), hash: hash.to_owned(), until: now().days_later(days) }
}

fn ended(hash: &str) -> SignIn {
    SignIn { id: SignInId(0), hash: hash.to_owned(), until: now() }
}

fn sign_in_with(account: Account, seen: &str) -> Result<Decision<AgentRecord>, Refusal> {
    let rule = SignInAgent {
        user: ANA,
        proof: SignInProof::Password { seen_hash: seen.to_owned() },
        token_hash: "new".to_owned(),
        new_sdk_key: "new key".to_owned(),
        browser: None,
    };
    decided(&facts(account), &rule)
}

/// Returns the tokens that end, with `-`, and the one that is added, with `+`.
fn tokens(changes: &[Change]) -> Vec<String> {
    let token = |change: &Change| match change {
        Change::Agent(AgentChange::EndSignIn { hash, .. }) => Some(format!("-{hash}")),
        Change::Agent(AgentChange::AddSignIn { hash, .. }) => Some(format!("+{hash}")),
        Change::Agent(AgentChange::EndSignIns { .. }) => Some("-all".to_owned()),
        _ => None,
    };
    changes.iter().filter_map(token).collect()
}

/// Returns the new token of the agent's speaker, if it is replaced.
fn new_key(changes: &[Change]) -> Option<&str> {
    changes.iter().find_map(|change| match change {
        Change::User(UserChange::SetToken { user, token }) if user.0 == ANA.0 => {
            Some(token.as_str())
        }
        _ => None,
    })
}

#[test]
fn the_sdk_key_is_replaced_when_the_last_sign_in_ends_and_not_before() {
    let key_after = |sign_ins: &[SignIn]| {
        let account = Account { sign_ins: sign_ins.to_vec(), ..example::account(Role::Agent) };
        let signed = sign_in_with(account, "hash").expect("signed in");
        let key = signed.outcome.profile.sdk_key.clone();
        assert_eq!(new_key(&signed.changes).unwrap_or("key"), key);
        key
    };
    assert_eq!(key_after(&[]), "key", "the key was replaced when the agent signed out");
    assert_eq!(key_after(&[valid("a", 1)]), "key", "all sign-ins share one key");
    assert_eq!(key_after(&[ended("a"), valid("b", 1)]), "key");
    assert_eq!(key_after(&[ended("a"), ended("b")]), "new key", "not cleaned up yet");
    let key_left = |sign_ins| sign_out_of(sign_ins).map(|it| new_key(&it.changes).is_none());
    assert_eq!(key_left(vec![valid("mine", 1), valid("other", 1)]), Ok(true));
    assert_eq!(key_left(vec![valid("mine", 1), ended("other")]), Ok(false));
    let out = sign_out_of(vec![valid("mine", 1)]).expect("signed out");
    assert_eq!(&*out.for_listeners[0].body, "key", "the webhook holds the old key");
}

#[test]
fn signing_in_makes_an_agent_available_and_gives_a_token_for_30_days() {
    let decision = sign_in_with(example::account(Role::Agent), "hash").expect("signed in");
    let agent = &decision.outcome;
    assert!(agent.profile.is_available && agent.away_since.is_none());
    assert_eq!(agent.profile.last_login_at, Some(now()));
    let until = decision.changes.iter().find_map(|change| match change {
        Change::Agent(AgentChange::AddSignIn { until, .. }) => Some(*until),
        _ => None,
    });
    assert_eq!(until, Some(now().days_later(30)));
}

#[test]
fn signing_in_keeps_an_agent_forced_offline() {
    let mut account = example::account(Role::Agent);
    account.agent.profile.is_forced_offline = true;
    let decision = sign_in_with(account, "hash").expect("signed in");
    assert!(!decision.outcome.profile.is_available);
}

#[test]
fn a_password_changed_after_its_verification_is_refused() {
    let refused = sign_in_with(example::account(Role::Agent), "an older hash").err();
    assert_eq!(refused, Some(Refusal::WrongSignIn));
}

#[test]
fn signing_in_ends_expired_tokens_and_the_oldest_of_too_many() {
    let mut account = example::account(Role::Agent);
    account.sign_ins = vec![valid("a", 2), ended("b"), valid("c", 1)];
    let decision = sign_in_with(account.clone(), "hash").expect("signed in");
    assert_eq!(tokens(&decision.changes), ["-b", "+new"]);
    let many =
        (0..limits::SIGN_INS_MAX).map(|place| valid(&format!("t{place}"), 30 - place as u32 % 30));
    account.sign_ins = many.collect();
    account.sign_ins.push(valid("oldest", 0));
    account.sign_ins.last_mut().expect("a sign-in").until.0 += 1;
    let decision = sign_in_with(account, "hash").expect("signed in");
    let ended = tokens(&decision.changes);
    assert_eq!((ended.len(), ended[0].as_str()), (3, "-oldest"), "{ended:?}");
}

fn sign_out_of(sign_ins: Vec<SignIn>) -> Result<Decision<()>, Refusal> {
    let mut account = Account { sign_ins, ..example::account(Role::Agent) };
    account.agent.profile.is_available = true;
    account.agent.away_since = None;
    let (facts, stamps) = (facts(account), CountingStamps::default());
    let renderers = Renderers {
        local_time: |_, _| LocalTime { day: 1, minute: 600 },
        complete_payload: |_| JsonText::empty_object(),
        is_same_payload: |_, _| true,
        webhook_body: |event| match event {
            Event::LoggedOut(out) => out.user.sdk_key.clone().into_bytes(),
            _ => Vec::new(),
        },
        channel_parts: |_| Vec::new(),
        example: |_, _| None,
        room_options: |_, _, _| JsonText::empty_object(),
        widget_source: String::new(),
    };
    let context = Context { renderers: Arc::new(renderers), ..example::context() };
    let (token_hash, new_sdk_key) = ("mine".to_owned(), "new key".to_owned());
    let rule = SignOutAgent { user: ANA, token_hash, new_sdk_key };
    rule.decide(&context, &facts, &Stamp::new(&stamps, &facts))
}

fn puts(changes: &[Change]) -> Vec<&AgentRecord> {
    let mut puts = Vec::new();
    for change in changes {
        if let Change::Agent(AgentChange::Put(agent)) = change {
            puts.push(&**agent);
        }
    }
    puts
}

#[test]
fn signing_out_makes_an_agent_unavailable_only_with_the_last_token() {
    let decision = sign_out_of(vec![valid("mine", 1), valid("other", 1)]).expect("signed out");
    assert_eq!(tokens(&decision.changes), ["-mine"]);
    assert!(puts(&decision.changes).is_empty());
    let decision = sign_out_of(vec![valid("mine", 1), ended("other")]).expect("signed out");
    let agent = puts(&decision.changes)[0];
    assert!(!agent.profile.is_available);
    assert_eq!(agent.away_since, Some(now()));
    assert_eq!(decision.for_listeners.len(), 1, "the app is notified");
}

#[test]
fn signing_out_with_an_unknown_or_expired_token_is_refused() {
    for sign_ins in [vec![], vec![valid("other", 1)], vec![ended("mine")]] {
        assert_eq!(sign_out_of(sign_ins).err(), Some(Refusal::SignedOut));
    }
}

#[test]
fn expiry_makes_only_agents_without_a_valid_sign_in_unavailable() {
    let expired = |sign_ins| {
        let account = Account { sign_ins, ..example::account(Role::Agent) };
        let rule = ExpireSignIns { user: ANA, new_sdk_key: "new key".to_owned() };
        let expired = decided(&facts(account), &rule).expect("never refused");
        puts(&expired.changes).len()
    };
    assert_eq!(
        (expired(vec![]), expired(vec![ended("a")]), expired(vec![valid("a", 1)])),
        (1, 1, 0)
    );
}

#[test]
fn a_new_password_ends_all_sign_ins_and_replaces_the_sdk_key() {
    let facts = facts(example::account(Role::Agent));
    let replaced = |seen: &str| {
        let new = NewSecrets { password_hash: "new".to_owned(), sdk_key: "new key".to_owned() };
        decided(&facts, &ReplacePassword { user: ANA, seen_hash: seen.to_owned(), new })
    };
    let decision = replaced("hash").expect("changed");
    assert_eq!(tokens(&decision.changes), ["-all"]);
    assert_eq!(new_key(&decision.changes), Some("new key"));
    assert!(!puts(&decision.changes)[0].profile.is_available);
    assert_eq!(replaced("older").err(), Some(Refusal::WrongSignIn));
}

#[test]
fn a_code_signs_in_once_and_only_before_it_expires() {
    let with_code = |until: Timestamp| {
        let code = SignInCode { hash: "code".to_owned(), until };
        Account { codes: vec![code], ..example::account(Role::Agent) }
    };
    let sign_in = |account: Account, hash: &str| {
        let rule = SignInAgent {
            user: ANA,
            proof: SignInProof::Code { hash: hash.to_owned() },
            token_hash: "new".to_owned(),
            browser: None,
            new_sdk_key: "new key".to_owned(),
        };
        decided(&facts(account), &rule)
    };
    let decision = sign_in(with_code(now().days_later(1)), "code").expect("a valid code");
    let is_used = |change: &Change| {
        matches!(change,
        Change::Agent(AgentChange::EndSignInCode { hash }) if hash == "code")
    };
    assert!(decision.changes.iter().any(is_used));
    assert_eq!(tokens(&decision.changes), ["+new"]);
    for (until, hash) in [(now(), "code"), (now().days_later(1), "another")] {
        let refused = sign_in(with_code(until), hash).err().expect("refused");
        assert!(matches!(refused, Refusal::WrongSignInCode));
    }
}
