//! Requests and responses about agents and apps.

use confab_domain::agents::agent::Agent;
use confab_domain::agents::division::Divisions;
use confab_domain::agents::role::Role;
use confab_domain::app::{App, AppCode};
use confab_domain::ids::{AgentId, AppId, ChannelId, EndpointId, UserKey};
use confab_domain::refusal::Refusal;
use confab_domain::support::automation::auto_reply::AutoReplies;
use confab_domain::support::conversations::customer_room::{AgentRecord, Candidate};
use confab_domain::support::settings::Settings;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::endpoint::{DeliveryPolicy, Endpoint};
use confab_domain::webhooks::event::AgentProfile;
use confab_domain::webhooks::event_kind::EventKind;
use serde_json::{Value, json};

use super::agents::{
    AgentListQuery, CreateAgent, UpdateAgent, Viewer, Workplace, agent, agent_list, read_ids,
};
use super::apps::ShownApp;
use super::configs::{
    all_configs, auth_configs, new_session_configs, read_activation, read_allocation,
    read_config_hook, read_webhook,
};
use super::signing_in::{ChangePassword, OwnOffice, SignInRequest, signed_in};
use crate::body::Body;

const THEN: Timestamp = Timestamp(1_769_853_600_123_456);

fn body(value: &Value) -> Body<'static> {
    let text = value.to_string();
    Body::from_json(text.as_bytes()).expect("JSON").into_owned()
}

#[track_caller]
fn problems<T>(read: Result<T, Refusal>) -> Vec<String> {
    match read.err() {
        Some(Refusal::Invalid(problems)) => problems.iter().map(ToString::to_string).collect(),
        other => panic!("must be refused: {other:?}"),
    }
}

fn app() -> App {
    App {
        id: AppId(1),
        code: AppCode::parse("shop").expect("valid"),
        name: "The shop".to_owned(),
        sdk_secret: "sdk".to_owned(),
        secret_key: "secret".to_owned(),
        other_key: None,
        system_user: UserKey(2),
        created_at: THEN,
        has_chat_message_webhook: false,
        shows_sender_extras: false,
    }
}

fn endpoint(kind: EventKind, name: &str, is_enabled: bool) -> Endpoint {
    Endpoint {
        id: EndpointId(7),
        app: AppId(1),
        kind,
        name: name.to_owned(),
        url: format!("https://{}.example/{name}", kind.as_str()),
        is_enabled,
        is_paused: false,
        failing: None,
        policy: DeliveryPolicy::default(),
        created_at: THEN,
        updated_at: Timestamp(THEN.0 + 60_000_000),
    }
}

fn worker(id: i64, name: &str, role: Role) -> AgentRecord {
    let user = Agent {
        id: AgentId(id),
        app: AppId(1),
        email: format!("{name}@shop.example"),
        name: name.to_owned(),
        role,
        created_at: THEN,
    };
    let profile = AgentProfile {
        sdk_user: App::speaker_id(&app().code, user.id),
        user,
        avatar_url: None,
        is_forced_offline: false,
        is_available: true,
        is_verified: true,
        last_login_at: None,
        sdk_key: "key".to_owned(),
        updated_at: THEN,
    };
    AgentRecord {
        profile,
        speaker: UserKey(id),
        serves_max: None,
        channels: Vec::new(),
        away_since: None,
        deleted_at: None,
    }
}

fn candidate(id: i64, name: &str, role: Role) -> Candidate {
    let profile = worker(id, name, role).profile;
    Candidate { profile, serves: 3, serves_max: Some(5), channels: Vec::new() }
}

fn shown(endpoints: &[Endpoint], settings: &Settings, shows_key: bool) -> Value {
    let app = app();
    let shown = ShownApp { app: &app, endpoints, settings, shows_key, pushes: false };
    serde_json::to_value(shown.shape()).expect("JSON")
}

#[test]
fn the_app_object_shows_webhooks_and_settings() {
    let endpoints = [endpoint(EventKind::Resolved, "", true), endpoint(EventKind::Bot, "", false)];
    let settings = Settings::default().with(Settings::IS_SESSIONAL, "true");
    let app = shown(&endpoints, &settings, true);
    let expected = json!({
        "id": 1, "name": "The shop", "app_code": "shop", "secret_key": "secret",
        "created_at": "2026-01-31 10:00:00", "updated_at": "2026-01-31 10:01:00",
        "bot_webhook_url": "https://bot.example/", "is_bot_enabled": false,
        "allocate_agent_webhook_url": "", "is_allocate_agent_webhook_enabled": false,
        "mark_as_resolved_webhook_url": "https://mark_as_resolved.example/",
        "is_mark_as_resolved_webhook_enabled": true,
        "is_mobile_pn_enabled": false, "is_active": true, "is_sessional": true,
        "is_agent_allocation_enabled": false, "is_agent_takeover_enabled": true,
        "is_token_expiring": true, "paid_channel_approved": null, "use_latest": true,
        "free_sessions": 0, "is_force_send_bot": false, "app_joined_status": 1,
        "is_archieved": null, "archieve_status": null, "search_using_engine": false,
        "use_2fa": false,
    });
    assert_eq!(app, expected);
    assert_eq!(shown(&endpoints, &settings, false)["secret_key"], "");
}

#[test]
fn a_named_webhook_is_not_shown_in_the_app_object() {
    let endpoints = [endpoint(EventKind::Bot, "another", true)];
    assert_eq!(shown(&endpoints, &Settings::default(), true)["bot_webhook_url"], "");
}

#[test]
fn webhook_flags_in_configs_are_strings() {
    let (app, settings) = (app(), Settings::default());
    let endpoints = [endpoint(EventKind::NewSession, "", true)];
    let shown = ShownApp {
        app: &app,
        endpoints: &endpoints,
        settings: &settings,
        shows_key: false,
        pushes: false,
    };
    let configs = serde_json::to_value(new_session_configs(shown)).expect("JSON");
    let expected = json!({
        "is_new_session_webhook_enabled": "true",
        "new_session_webhook_url": "https://new_session.example/",
    });
    assert_eq!(configs["configs"], expected);
    let configs = serde_json::to_value(auth_configs(shown)).expect("JSON");
    let expected = json!({"is_auth_webhook_enabled": "false", "auth_webhook_url": ""});
    assert_eq!(configs["configs"], expected);
    let all = serde_json::to_value(all_configs(shown, true, false)).expect("JSON");
    assert_eq!(all["configs"]["agent_customers_max"], "10");
    assert_eq!(all["configs"]["is_sessional"], false);
    assert_eq!(all["configs"]["widget"], Value::Null);
    let set = serde_json::to_value(all_configs(shown, false, true)).expect("JSON");
    assert_eq!(set["configs"].as_object().map(serde_json::Map::len), Some(2));
}

#[test]
fn the_response_to_a_sign_in_has_the_token_and_no_secret_key() {
    let (app, settings, worker) = (app(), Settings::default(), worker(9, "ana", Role::Agent));
    let shown = ShownApp {
        app: &app,
        endpoints: &[],
        settings: &settings,
        shows_key: false,
        pushes: false,
    };
    let (divisions, auto_replies) = (Divisions::default(), AutoReplies::default());
    let qismo_key = "key".to_owned();
    let own = OwnOffice { qismo_key, divisions: &divisions, auto_replies: &auto_replies };
    let answer = serde_json::to_value(signed_in(&worker, "token", shown, own)).expect("JSON");
    let user = &answer["user"];
    assert_eq!((&user["authentication_token"], &user["id"]), (&json!("token"), &json!(9)));
    assert_eq!(user["created_at"], "2026-01-31 10:00:00");
    assert_eq!(
        (&user["last_login"], &user["sdk_email"]),
        (&Value::Null, &json!("shop_9@dashboard"))
    );
    assert_eq!(user["app"]["app_config"]["app_id"], 1);
    assert_eq!(
        (&user["app"]["agent_roles"], &user["app"]["app_code"]),
        (&json!([]), &json!("shop"))
    );
    assert_eq!(answer["details"]["sdk_user"]["extras"]["type"], "agent");
    assert_eq!(answer["details"]["app"]["is_bulk_assignment_enabled"], false);
    assert!(!answer.to_string().contains("\"secret\""), "agents do not see the secret key");
}

#[test]
fn every_invalid_field_of_a_new_agent_is_reported() {
    let read = CreateAgent::read(&body(&json!({"type": 4, "email": 5, "password": "1234567"})));
    let expected = [
        "name is required",
        "email must be a string",
        "password must have 8 to 255 characters",
        "type must be admin, supervisor or agent (or 1, 3, 2)",
    ];
    let mut found = problems(read);
    found.sort();
    let mut expected = expected.map(str::to_owned);
    expected.sort();
    assert_eq!(found, expected);
    let fields = json!({"name": " Ana ", "email": "A@b.c", "password": "a long word", "type": 3});
    let read = CreateAgent::read(&body(&fields)).expect("read");
    assert_eq!((read.name.as_str(), read.email.as_str()), ("Ana", "a@b.c"));
    assert_eq!((read.role, read.avatar_url), (Role::Supervisor, None));
}

#[test]
fn absent_fields_of_a_change_stay_absent() {
    let read = UpdateAgent::read(&body(&json!({}))).expect("read");
    assert!(read.name.is_none() && read.email.is_none() && read.password.is_none());
    assert!(read.role.is_none() && read.customers_max.is_none() && read.channels.is_none());
    let fields = json!({"customers_max": 0, "channel_ids": ["2", 1, 2], "avatar_url": ""});
    let read = UpdateAgent::read(&body(&fields)).expect("read");
    assert_eq!((read.customers_max, read.avatar_url.as_deref()), (Some(None), Some("")));
    assert_eq!(read.channels, Some(vec![ChannelId(1), ChannelId(2)]));
    let read = UpdateAgent::read(&body(&json!({"channel_ids": ["x"], "customers_max": -1})));
    assert_eq!(problems(read).len(), 2);
}

#[test]
fn required_passwords_and_flags_are_reported_if_missing() {
    let read = SignInRequest::read(&body(&json!({"email": "x"})));
    assert_eq!(problems(read), ["email must be an e-mail address", "password is required"]);
    let read = ChangePassword::read(&body(&json!({"current_password": "a"})));
    assert_eq!(problems(read), ["new_password is required"]);
    assert_eq!(problems(read_activation(&body(&json!({})))), ["is_active is required"]);
    assert_eq!(read_activation(&body(&json!({"is_active": "1"}))), Ok(true));
    assert_eq!(
        problems(read_ids(&body(&json!({"ids": ["a"]})))),
        ["ids must be a list of integers"]
    );
    assert_eq!(problems(read_allocation(&body(&json!({})))).len(), 1);
    let read = read_webhook(&body(&json!({"webhook_url": ""})), EventKind::Resolved);
    assert_eq!(read.expect("read").url.as_deref(), Some(""), "an empty URL removes the webhook");
    let misspelled = json!({"webhook_url": "https://a.example/", "is_webhook_enable": false});
    let problem = "is_webhook_enable is not a field of this call; its fields are webhook_url, \
        is_webhook_enabled";
    assert_eq!(problems(read_webhook(&body(&misspelled), EventKind::Resolved)), [problem]);
    for word in ["TRUE", "True", "true", "1"] {
        let given = json!({"url": "https://a.example/", "enabled": word});
        let read = read_config_hook(&body(&given), EventKind::NewSession).expect("read");
        assert_eq!(read.is_enabled, Some(true), "{word}");
    }
}

#[test]
fn agent_lists_are_paged_searched_and_hide_keys_from_other_agents() {
    let all = [candidate(1, "ana", Role::Admin), candidate(2, "bob", Role::Agent)];
    let divisions = Divisions::default();
    let place = Workplace { channels: &[], divisions: &divisions };
    let list = |query: Value, viewer| {
        let wanted = AgentListQuery::read(&body(&query)).expect("read");
        serde_json::to_value(agent_list(&all, &wanted, place, viewer)).expect("JSON")
    };
    let other_viewer = Viewer { sees_keys: false, own: None };
    let first = list(json!({"limit": 1}), other_viewer);
    assert_eq!(first["data"]["agents"][0]["name"], "ana");
    assert_eq!(
        (&first["meta"]["total_count"], &first["meta"]["total_page"]),
        (&json!(2), &json!(2))
    );
    let far = list(json!({"limit": 100, "page": 4_294_967_295_u32}), other_viewer);
    assert_eq!(far["data"]["agents"], json!([]));
    assert_eq!(list(json!({"search": "BOB@"}), other_viewer)["meta"]["total_count"], 1);
    let key = |viewer| {
        serde_json::to_value(agent(&all[1], place, viewer)).expect("JSON")["sdk_key"].take()
    };
    assert_eq!(key(other_viewer), "");
    assert_eq!(key(Viewer { sees_keys: false, own: Some(AgentId(1)) }), "");
    assert_eq!(key(Viewer { sees_keys: false, own: Some(AgentId(2)) }), "key");
    assert_eq!(key(Viewer { sees_keys: true, own: None }), "key");
}
