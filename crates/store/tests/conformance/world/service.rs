//! Support: agents, channels, and customers' rooms from the first message to the resolution.

use confab_domain::agents::account::EmailAddress;
use confab_domain::agents::availability::SetAvailable;
use confab_domain::agents::role::Role;
use confab_domain::agents::signing_in::{SignInAgent, SignInProof};
use confab_domain::agents::staffing::{AgentEdit, ChangeAgent, DeleteAgent, HireAgent};
use confab_domain::app::App;
use confab_domain::audit::entry::Actor;
use confab_domain::channels::channel::Channel;
use confab_domain::channels::connecting::{ChannelInput, ConnectChannel};
use confab_domain::decision::context::{Context, Renderers};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Rule;
use confab_domain::decision::stamp::{Stamp, Stamps};
use confab_domain::ids::{AgentId, RoomId};
use confab_domain::json_text::JsonText;
use confab_domain::people::user::{Realm, UserRef};
use confab_domain::rooms::room::RoomUniqueId;
use confab_domain::support::annotations::tags::AddTag;
use confab_domain::support::assignment::allocating::{AssignAgent, AssignmentOptions, RemoveAgent};
use confab_domain::support::automation::office_hours::LocalTime;
use confab_domain::support::configuring::SetSettings;
use confab_domain::support::conversations::customer_room::{AgentRecord, CustomerRoom};
use confab_domain::support::conversations::initiating::{AdmitVisitor, NewCustomerIds, Visitor};
use confab_domain::support::conversations::receiving::ReceiveMessage;
use confab_domain::support::conversations::resolving::{Resolution, Resolve};
use confab_domain::webhooks::event::{AgentProfile, Info, MessageSource};
use confab_store::WriteError;

use super::{World, completed, draft_by, user_id};
use crate::world::Arc;

/// Password hash of every agent.
pub const PASSWORD_HASH: &str = "hash";

impl World {
    /// Returns the app with its keys.
    pub async fn app_itself(&self) -> App {
        self.store.app_by_id(self.app).await.expect("read").expect("the app exists")
    }

    pub async fn decide<R: Rule>(&self, rule: R) -> Result<R::Outcome, WriteError> {
        self.decide_by(self.context.actor, rule).await
    }

    pub async fn decide_by<R: Rule>(
        &self,
        actor: Actor,
        rule: R,
    ) -> Result<R::Outcome, WriteError> {
        let context = Context { actor, ..self.context.clone() };
        let question = rule.question(&context.app);
        let deciding = move |facts: &Facts, stamp: &Stamp<'_>| rule.decide(&context, facts, stamp);
        self.store.decide(self.app, question, deciding).await
    }

    /// Runs a rule without push notifications. As in the server, its question has no devices then.
    pub async fn decide_without_pushes<R: Rule>(&self, rule: R) -> Result<R::Outcome, WriteError> {
        let context = self.context.clone();
        let question = Question { finds_devices: false, ..rule.question(&context.app) };
        let deciding = move |facts: &Facts, stamp: &Stamp<'_>| rule.decide(&context, facts, stamp);
        self.store.decide(self.app, question, deciding).await
    }

    /// Creates an agent, who is away at first.
    pub async fn create_agent(&self, name: &str, role: Role) -> AgentProfile {
        let email = EmailAddress::parse("email", &email(name)).expect("a valid address");
        let rule = HireAgent {
            email,
            name: name.to_owned(),
            role,
            avatar_url: Some(format!("https://example.com/{name}.png")),
            divisions: None,
            channels: vec![],
            password_hash: PASSWORD_HASH.to_owned(),
            code_hash: None,
            sdk_key: format!("key of {name} of {}", self.code.as_str()),
        };
        self.decide(rule).await.expect("created").profile
    }

    /// Changes an agent's record.
    pub async fn change_agent(&self, agent: &AgentProfile, change: AgentEdit) -> AgentRecord {
        let rule = ChangeAgent { user: agent.user.id, by: None, edit: change };
        self.decide(rule).await.expect("changed")
    }

    /// Sets an agent available or away.
    pub async fn set_available(&self, agent: &AgentProfile, is_available: bool) {
        self.decide(SetAvailable { user: agent.user.id, is_available }).await.expect("set");
    }

    /// Deletes an agent.
    pub async fn delete_agent(&self, agent: &AgentProfile) {
        let user = agent.user.id;
        let rule = DeleteAgent { user, by: None, new_sdk_key: format!("no key of {user}") };
        self.decide(rule).await.expect("deleted");
    }

    /// Signs an agent in, with a token of this hash.
    pub async fn sign_in(&self, user: AgentId, token_hash: &'static str) -> AgentRecord {
        let rule = SignInAgent {
            user,
            proof: SignInProof::Password { seen_hash: PASSWORD_HASH.to_owned() },
            token_hash: token_hash.to_owned(),
            browser: None,
            new_sdk_key: "another key".to_owned(),
        };
        self.decide(rule).await.expect("signed in")
    }

    /// Creates a channel of the app's own.
    pub async fn connect(&self, name: &str) -> Channel {
        let wanted = ChannelInput {
            name: Some(name.to_owned()),
            webhook_url: Some(format!("https://{name}.example/")),
            logo_url: Some(format!("https://{name}.example/logo.png")),
            ..ChannelInput::default()
        };
        let new_key = format!("key of channel {name} of {}", self.code.as_str());
        self.decide(ConnectChannel { wanted, new_key }).await.expect("connected")
    }

    /// Admits a visitor of a channel, who gets a room there.
    pub async fn admit(&self, channel: &Channel, customer: &str) -> CustomerRoom {
        let (channel, visitor) = (channel.clone(), visitor(customer));
        let token = format!("token of {customer} of {} in {}", self.code.as_str(), channel.id);
        let unique_id = format!("of {customer} in {} at {}", channel.id, self.stamps.now().0);
        let new = NewCustomerIds { token, unique_id: RoomUniqueId::from_trusted(unique_id) };
        let admit = AdmitVisitor { channel, visitor, new, draft: None, identities: Vec::new() };
        self.decide(admit).await.expect("admitted").customer_room
    }

    /// Posts a message of a customer, and returns their room afterwards.
    pub async fn customer_posts(&self, at: &CustomerRoom, by: &str, text: &str) -> CustomerRoom {
        let (room, mut draft) = (at.room, draft_by(by, text));
        draft.sender = UserRef::Of(Realm::Channel(at.channel), user_id(by));
        let receive = ReceiveMessage { room, draft, message_source: MessageSource::Client };
        self.decide(receive).await.expect("received").customer_room
    }

    /// Admits a visitor of a channel and posts a message; returns the room in which they wait.
    pub async fn customer(&self, channel: &Channel, name: &str) -> CustomerRoom {
        let room = self.admit(channel, name).await;
        self.customer_posts(&room, name, "hello").await
    }

    pub async fn assign(&self, room: RoomId, agent: &AgentProfile) {
        let (agent, wish) = (agent.user.id, AssignmentOptions::default());
        self.decide(AssignAgent { room, agent, by: None, wish }).await.expect("assigned");
    }

    /// Removes an agent from a room.
    pub async fn unassign(&self, room: RoomId, agent: &AgentProfile) {
        self.decide(RemoveAgent { room, agent: agent.user.id, by: None }).await.expect("removed");
    }

    /// Resolves the open session of a room.
    pub async fn resolve(&self, room: RoomId, by: &AgentProfile) {
        let (by, ending) = (by.clone(), Resolution::default());
        let resolve = Resolve { room, by, is_by_person: true, ending };
        self.decide(resolve).await.expect("resolved");
    }

    pub async fn tag(&self, room: RoomId, name: &'static str) {
        self.decide(AddTag { room, name: name.to_owned(), by: None }).await.expect("tagged");
    }

    pub async fn set(&self, name: &'static str, value: &str) {
        let wanted = vec![(name, value.to_owned())];
        self.decide(SetSettings { wanted }).await.expect("set");
    }
}

/// Returns the email address of an agent.
pub fn email(name: &str) -> String {
    format!("{name}@example.com")
}

fn visitor(name: &str) -> Visitor {
    Visitor {
        user_id: user_id(name),
        name: Some(format!("The customer {name}")),
        avatar_url: Some(format!("https://example.com/{name}.png")),
        extras: None,
        room_extras: Some(JsonText::from_checked(r#"{"b":1,"a":1.0}"#)),
        infos: vec![Info { key: "came".to_owned(), value: "by themselves".to_owned() }],
        brand: Some("acme".to_owned()),
    }
}

/// Returns the context of the app's rules, with no webhook that triggered them.
pub(super) fn context(app: App) -> Context {
    Context {
        app: Arc::new(app),
        renderers: Arc::new(renderers()),
        depth_before: 0,
        is_listened_to: false,
        actor: Actor::Server,
        address: None,
    }
}

/// Returns test renderers, in place of those in `wire`.
fn renderers() -> Renderers {
    Renderers {
        local_time: |_, _| LocalTime { day: 1, minute: 600 },
        complete_payload: completed,
        is_same_payload: |_, stored| stored.is_none(),
        webhook_body: |_| b"{}".to_vec(),
        channel_parts: |_| Vec::new(),
        example: |_, _| None,
        room_options: |channel, is_resolved, is_waiting| {
            JsonText::from_checked(format!(r#"["{}",{is_resolved},{is_waiting}]"#, channel.name))
        },
        widget_source: "widget".to_owned(),
    }
}
