//! Tests of allocation requests and of ended rights.
//!
//! Changes that may let a waiting customer be served request an allocation immediately. No
//! allocation task runs in these tests, so the requests stay visible. A right that has ended allows
//! no decision.

use std::sync::Arc;

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::availability::{ForceOffline, SetAvailable};
use confab_domain::agents::password::NewPassword;
use confab_domain::agents::right::Right;
use confab_domain::agents::role::Role;
use confab_domain::agents::signing_in::SignOutAgent;
use confab_domain::agents::staffing::AgentEdit;
use confab_domain::app::{App, AppCode};
use confab_domain::channels::channel::Channel;
use confab_domain::channels::connecting::{
    ChangeChannel, ChannelInput, ConnectChannel, DisconnectChannel,
};
use confab_domain::decision::principal::Principal;
use confab_domain::decision::rule::Rule;
use confab_domain::ids::{AgentId, EndpointId, RoomId, UserKey};
use confab_domain::messages::message::Draft;
use confab_domain::messages::payload::Payload;
use confab_domain::people::user::UserId;
use confab_domain::refusal::Refusal;
use confab_domain::support::assignment::allocating::{AssignAgent, RemoveAgent};
use confab_domain::support::automation::buttons::{ButtonInput, PutButton, RemoveButton};
use confab_domain::support::configuring::{RegisterHook, SetSettings, SwitchHook, WebhookUpdate};
use confab_domain::support::contacts::customer_info::SetCustomerProperty;
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_domain::support::conversations::initiating::Visitor;
use confab_domain::support::conversations::resolving::{Resolution, Resolve};
use confab_domain::support::settings::Settings;
use confab_domain::time::Timestamp;
use confab_domain::webhooks::event_kind::EventKind;
use confab_runtime::admission::peer::Peer;
use confab_runtime::config::{Config, from_everywhere};
use confab_runtime::process::secrets_file::SecretsFile;
use confab_runtime::{SystemStamps, ids};
use confab_store::{Location, Registry, Store, WriteError};
use tempfile::TempDir;

use super::{AgentInput, SignedIn};
use crate::actions::accounts::register_user::RegisterError;
use crate::process::start::new_app;
use crate::services::Services;

const PASSWORD: &str = "a password of ours";

struct World {
    services: Services,
    app: Arc<App>,
    channel: Channel,
    _folder: TempDir,
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder is created");
        let (location, stamps) = (Location::folder(folder.path()), Arc::new(SystemStamps::new(0)));
        let keys = SecretsFile::at(folder.path().join("secrets.key"));
        let sealer = keys.sealer(&location).await.expect("the secrets file is readable");
        let store =
            Store::open(&location, stamps.clone(), sealer.clone()).await.expect("the store opens");
        let mut registry =
            Registry::open(&location, stamps, sealer).await.expect("the store opens");
        let code = AppCode::parse("shop").expect("the app code is valid");
        let app = new_app(code.clone(), "Shop", None, None);
        assert!(registry.create_app(&app, None).await.expect("the app is created"));
        let app = Arc::new(
            store.app(&code).await.expect("the store is readable").expect("the app is created"),
        );
        let file = folder.path().join("confab.toml");
        std::fs::write(&file, "").expect("the file is written");
        let effective = from_everywhere(|_| None, |_| None, Some(&file));
        let config = Config::from_effective(&effective.expect("the settings are valid"))
            .expect("the settings are valid");
        let services = Services::new(store, config);
        let wanted = ChannelInput {
            name: Some("SMS".to_owned()),
            webhook_url: None,
            identifier_key: None,
            is_active: None,
            logo_url: None,
        };
        let connect = ConnectChannel { wanted, new_key: ids::secret() };
        let channel = services
            .decisions()
            .decide(&Principal::secret_key(&app), connect)
            .await
            .expect("the channel is connected");
        Self { services, app, channel, _folder: folder }
    }

    async fn agent(&self, name: &str, role: Role) -> AgentRecord {
        let wanted = AgentInput {
            email: EmailAddress::parse("email", &format!("{name}@shop.example"))
                .expect("the value is valid"),
            name: name.to_owned(),
            role,
            avatar_url: None,
            divisions: None,
            channels: vec![],
            password: Some(NewPassword::parse("password", PASSWORD).expect("the value is valid")),
            code_hash: None,
        };
        crate::actions::create_agent(&self.services, &self.key(), wanted)
            .await
            .expect("the agent is created")
    }

    /// Receives a message of a customer. Returns their room.
    async fn customer(&self, name: &str) -> RoomId {
        let user_id = UserId::parse("user_id", name).expect("the user id is valid");
        let draft = Draft {
            sender: user_id.clone().into(),
            text: "hello".to_owned(),
            payload: Payload::Text,
            extras: None,
            unique_id: None,
        };
        let visitor = Visitor {
            user_id,
            name: None,
            avatar_url: None,
            extras: None,
            room_extras: None,
            infos: Vec::new(),
            brand: None,
        };
        let (services, by) = (&self.services, &self.server());
        let received = crate::actions::receive_from_channel(
            services.decisions(),
            by,
            &self.channel,
            visitor,
            draft,
            0,
        )
        .await;
        received.expect("the message is received").customer_room.room
    }

    /// Signs an agent in. Returns the agent with their right.
    async fn sign_in(&self, name: &str, roles: &'static [Role]) -> Principal {
        let email = EmailAddress::parse("email", &format!("{name}@shop.example"))
            .expect("the value is valid");
        let peer = Peer::of_socket(std::net::Ipv4Addr::LOCALHOST.into());
        let signed =
            crate::actions::sign_in(&self.services, &email, PASSWORD.to_owned(), None, peer, &[])
                .await;
        let Ok(SignedIn { agent, token, .. }) = signed else { panic!("not signed in") };
        let user = &agent.profile.user;
        let sign_in = ids::token_hash(&token);
        let right = Right { user: user.id, sign_in, roles, role: user.role };
        Principal::agent(&self.app, right)
    }

    fn server(&self) -> Principal {
        Principal::server(&self.app)
    }

    fn key(&self) -> Principal {
        Principal::secret_key(&self.app)
    }

    async fn assign(&self, room: RoomId, agent: AgentId) {
        let asked = AssignAgent { room, agent, by: None, wish: Default::default() };
        assert!(self.services.decisions().decide(&self.key(), asked).await.is_ok());
    }

    /// Whether an allocation of the app was requested since the last call.
    fn is_allocation_requested(&self) -> bool {
        let asked = self.services.decisions().allocation_wake().take();
        assert!(asked.iter().all(|app| *app == self.app.id));
        !asked.is_empty()
    }
}

#[tokio::test]
async fn waiting_customers_and_freed_agents_request_an_allocation() {
    let world = World::new().await;
    let (services, key) = (&world.services, &world.key());
    let admin = world.agent("boss", Role::Admin).await.profile;
    let agent = world.agent("bo", Role::Agent).await.profile.user.id;
    world.is_allocation_requested();
    let (ann, ben) = (world.customer("ann").await, world.customer("ben").await);
    assert!(world.is_allocation_requested(), "customers wait");
    world.assign(ann, agent).await;
    world.assign(ben, agent).await;
    assert!(!world.is_allocation_requested(), "assigning frees no agent");
    let resolve =
        Resolve { room: ann, by: admin, is_by_person: true, ending: Resolution::default() };
    services.decisions().decide(key, resolve).await.expect("the session is resolved");
    assert!(world.is_allocation_requested(), "a session is resolved");
    services
        .decisions()
        .decide(key, RemoveAgent { room: ben, agent, by: None })
        .await
        .expect("the agent is removed");
    assert!(world.is_allocation_requested(), "an agent leaves a room");
    world.assign(ben, agent).await;
    world.is_allocation_requested();
    crate::actions::delete_agent(services.decisions(), key, agent, 0)
        .await
        .expect("the agent is deleted");
    assert!(world.is_allocation_requested(), "an agent is deleted");
}

#[tokio::test]
async fn available_agents_and_raised_caps_request_an_allocation() {
    let world = World::new().await;
    let (services, key) = (&world.services, &world.key());
    let agent = world.agent("bo", Role::Agent).await.profile.user.id;
    world.is_allocation_requested();
    let by = world.sign_in("bo", &Role::ALL).await;
    assert!(world.is_allocation_requested(), "an agent signs in");
    let available = SetAvailable { user: agent, is_available: true };
    services.decisions().decide(&by, available).await.expect("the agent is available");
    assert!(world.is_allocation_requested(), "an agent comes online");
    let wanted = vec![(Settings::AGENT_CUSTOMERS_MAX, "9".to_owned())];
    services
        .decisions()
        .decide(key, SetSettings { wanted })
        .await
        .expect("the settings are stored");
    assert!(world.is_allocation_requested(), "the cap is raised");
    let change = AgentEdit { serves_max: Some(Some(9)), ..AgentEdit::default() };
    crate::actions::update_agent(services, key, agent, change, None)
        .await
        .expect("the agent is changed");
    assert!(world.is_allocation_requested(), "their own cap is raised");
}

/// The ways in which a right ends.
#[derive(Debug, Clone, Copy)]
enum Ends {
    Logout,
    Demotion,
    Password,
    Deletion,
}

impl World {
    async fn end(&self, by: &Principal, ends: Ends) {
        let (services, key) = (&self.services, &self.key());
        let right = by.right().expect("the principal is an agent");
        let user = right.user;
        let role = Some(Role::Supervisor);
        let demotion = AgentEdit { role, ..AgentEdit::default() };
        let nothing = AgentEdit::default();
        let password = NewPassword::parse("password", "another one of ours").ok();
        match ends {
            Ends::Logout => {
                let (token_hash, new_sdk_key) = (right.sign_in.clone(), ids::secret());
                let out = SignOutAgent { user, token_hash, new_sdk_key };
                services.decisions().decide(key, out).await.expect("the agent signs out");
            }
            Ends::Demotion => {
                let changed = crate::actions::update_agent(services, key, user, demotion, None);
                changed.await.expect("the agent is demoted");
            }
            Ends::Password => {
                let changed = crate::actions::update_agent(services, key, user, nothing, password);
                changed.await.expect("the agent is changed");
            }
            Ends::Deletion => {
                crate::actions::delete_agent(services.decisions(), key, user, 0)
                    .await
                    .expect("the agent is deleted");
            }
        }
    }

    async fn try_as<R: Rule>(&self, by: &Principal, rule: R) -> Option<WriteError> {
        self.services.decisions().decide(by, rule).await.err()
    }

    /// Returns the refusals of all operations that are for admins, tried by this agent.
    async fn try_everything(&self, by: &Principal, victim: AgentId) -> Vec<Option<Refusal>> {
        let (services, user) =
            (&self.services, by.right().expect("the principal is an agent").user);
        let name = format!("planted-{user}");
        let email = EmailAddress::parse("email", &format!("{name}@shop.example"))
            .expect("the value is valid");
        let password = || NewPassword::parse("password", PASSWORD).expect("the value is valid");
        let wanted = AgentInput {
            email,
            name: name.clone(),
            role: Role::Admin,
            avatar_url: None,
            divisions: None,
            channels: vec![],
            password: Some(password()),
            code_hash: None,
        };
        let rename = AgentEdit { name: Some(name), ..AgentEdit::default() };
        let url = Some("https://example.com/planted".to_owned());
        let kind = EventKind::Resolved;
        let hook = WebhookUpdate { kind, url, is_enabled: None, url_field: "webhook_url" };
        let channel = || ChannelInput {
            name: Some("Planted".to_owned()),
            webhook_url: None,
            identifier_key: None,
            is_active: None,
            logo_url: None,
        };
        let button = ButtonInput {
            label: "Planted".to_owned(),
            url: "https://example.com/planted".to_owned(),
            is_active: true,
        };
        let wanted_setting = vec![(Settings::AGENT_CUSTOMERS_MAX, "9".to_owned())];
        let setting = SetSettings { wanted: wanted_setting };
        let connect = ConnectChannel { wanted: channel(), new_key: ids::secret() };
        let (id, customer) = (self.channel.id, UserKey(1));
        let (label, value) = (String::new(), String::new());
        let contact = SetCustomerProperty { customer, label, value };
        let made = crate::actions::create_agent(services, by, wanted).await.err();
        let changed = crate::actions::update_agent(services, by, victim, rename, None).await.err();
        let writes = [
            self.try_as(by, ForceOffline { user: victim, is_forced: true }).await,
            crate::actions::delete_agent(services.decisions(), by, victim, 0).await.err(),
            self.try_as(by, SetAvailable { user, is_available: true }).await,
            self.try_as(by, setting).await,
            self.try_as(by, SetSettings::switch(Settings::TAKEOVER, true)).await,
            self.try_as(by, RegisterHook { wish: hook }).await,
            self.try_as(by, SwitchHook { kind, is_enabled: false }).await,
            self.try_as(by, connect).await,
            self.try_as(by, ChangeChannel { channel: id, wanted: channel() }).await,
            self.try_as(by, DisconnectChannel { channel: id }).await,
            self.try_as(by, PutButton { button: None, wanted: button }).await,
            self.try_as(by, RemoveButton { button: EndpointId(1) }).await,
            self.try_as(by, contact).await,
        ];
        let of_register = [made, changed].map(|error| match error {
            None => None,
            Some(RegisterError::Write(error)) => Some(error),
            Some(RegisterError::Password(failed)) => panic!("{failed}"),
        });
        let refusal = |error: Option<WriteError>| match error {
            None => None,
            Some(WriteError::Refused(refusal)) => Some(refusal),
            Some(WriteError::Failed(failed)) => panic!("{failed}"),
        };
        of_register.into_iter().chain(writes).map(refusal).collect()
    }
}

#[tokio::test]
async fn an_ended_right_allows_no_decision() {
    const ADMINS: &[Role] = &[Role::Admin];
    let world = World::new().await;
    world.agent("boss", Role::Admin).await;
    let victim = world.agent("victim", Role::Agent).await.profile.user.id;
    for ends in [Ends::Logout, Ends::Demotion, Ends::Password, Ends::Deletion] {
        let name = format!("{ends:?}").to_lowercase();
        world.agent(&name, Role::Admin).await;
        let by = world.sign_in(&name, ADMINS).await;
        world.end(&by, ends).await;
        let expected = match ends {
            Ends::Demotion => Refusal::WrongRole(ADMINS),
            _ => Refusal::SignedOut,
        };
        let refusals = world.try_everything(&by, victim).await;
        assert_eq!(refusals.len(), 15);
        assert!(refusals.iter().all(|it| it.as_ref() == Some(&expected)), "{ends:?}: {refusals:?}");
    }
    world.agent("good", Role::Admin).await;
    let by = world.sign_in("good", ADMINS).await;
    let refusals = world.try_everything(&by, victim).await;
    let refused: Vec<_> = refusals.into_iter().flatten().collect();
    let not_found = [Refusal::ButtonNotFound(1), Refusal::ContactNotFound(1)];
    assert_eq!(refused, not_found, "the same operations succeed with a valid right");
}

#[tokio::test]
async fn an_idle_conversation_ends_unless_the_customer_waits() {
    let world = World::new().await;
    let (services, app) = (&world.services, &world.app);
    world.agent("boss", Role::Admin).await;
    let agent = world.agent("bo", Role::Agent).await.profile.user.id;
    let (served, waits) = (world.customer("ann").await, world.customer("ben").await);
    world.assign(served, agent).await;
    let is_resolved = async |room: RoomId| {
        let found =
            services.store().customer_room(app.id, room).await.expect("the store is readable");
        found.expect("the room exists").customer_room.is_resolved()
    };
    let later = |minutes: i64| Timestamp(confab_runtime::clock::now().0 + minutes * 60_000_000);
    crate::jobs::idling::end_idle(services.decisions(), later(1_000))
        .await
        .expect("idle conversations are checked");
    assert!(!is_resolved(served).await, "no idle time is set");
    let wanted = vec![(Settings::IDLE_RESOLVE_MINUTES, "30".to_owned())];
    services
        .decisions()
        .decide(&world.key(), SetSettings { wanted })
        .await
        .expect("the settings are stored");
    crate::jobs::idling::end_idle(services.decisions(), later(29))
        .await
        .expect("idle conversations are checked");
    assert!(!is_resolved(served).await, "the conversation is not idle for long enough");
    crate::jobs::idling::end_idle(services.decisions(), later(31))
        .await
        .expect("idle conversations are checked");
    assert!(is_resolved(served).await);
    assert!(!is_resolved(waits).await, "the customer waits for a person");
}
