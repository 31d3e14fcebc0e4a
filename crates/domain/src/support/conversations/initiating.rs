//! Admission of customers: a visitor who comes through a channel becomes a customer and gets a
//! room.
//!
//! A customer has one room per channel, which continues after its session is resolved. If the app
//! is sessional, a customer who returns after the resolution gets a new room instead (wire facts
//! 5.6).

use std::sync::Arc;

use crate::app::App;
use crate::channels::channel::Channel;
use crate::channels::identity::Identity;
use crate::decision::change::{Change, ChannelChange, RoomChange, SupportChange, UserChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::ids::RoomId;
use crate::json_text::JsonText;
use crate::messages::message::Draft;
use crate::people::registering::{self, Profile};
use crate::people::user::{Realm, User, UserId, UserRef};
use crate::refusal::Refusal;
use crate::rooms::room::{Room, RoomKind, RoomRef, RoomUniqueId};
use crate::support::automation::surveying;
use crate::support::conversations::customer_room::{BotDuty, CustomerRoom};
use crate::support::conversations::support_room::SupportRoom;
use crate::support::settings::{Settings, VisitorProof};
use crate::time::Timestamp;
use crate::webhooks::event::Info;

/// A person who comes through a channel. Fields that are `None` keep their stored value.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// User id within the channel.
    pub user_id: UserId,
    /// Display name.
    pub name: Option<String>,
    /// URL of a picture.
    pub avatar_url: Option<String>,
    /// Metadata of the user, as a JSON object.
    pub extras: Option<JsonText>,
    /// Data that the channel attaches to the room.
    pub room_extras: Option<JsonText>,
    /// Infos about the visitor for their room.
    pub infos: Vec<Info>,
    /// Brand of the widget page through which the visitor came, in lower case.
    pub brand: Option<String>,
}

/// Random values for a new customer and room, created by the server.
#[derive(Clone)]
pub struct NewCustomerIds {
    /// Access token of the new user.
    pub token: String,
    /// Unique id of a new room.
    pub unique_id: RoomUniqueId,
}

/// A nonce to be used up, and its replacement.
#[derive(Clone)]
pub struct Nonces {
    /// Nonce sent by the widget.
    pub used: String,
    /// Nonce in the identity token that the visitor receives.
    pub new: String,
    /// Expiry time of the new nonce.
    pub new_until: Timestamp,
}

/// A widget visitor's proof of identity, and the secret for a new visitor (D-0070). Secrets are
/// stored and compared as hashes.
#[derive(Clone)]
pub struct WidgetProof {
    /// Whether the widget sent a valid identity token, with which the app's own server vouches for
    /// the visitor.
    pub is_vouched_for: bool,
    /// Hash of the secret that the widget sent.
    pub secret_hash: Option<String>,
    /// Hash of the secret that the visitor receives if they are new.
    pub new_secret_hash: String,
}

/// The nonces of a widget request and the visitor's proof of identity.
#[derive(Clone)]
pub struct Admission {
    pub nonces: Nonces,
    pub proof: WidgetProof,
}

/// A customer with their room.
#[derive(Debug, Clone)]
pub struct AdmittedCustomer {
    pub customer: Arc<User>,
    /// The customer's current room.
    pub customer_room: CustomerRoom,
    /// The customer's previous room, if this decision opened `customer_room`.
    pub room_before: Option<RoomId>,
}

/// Admits a visitor through the channel of a gateway or provider, as a new or returning customer
/// with a room to write in. The caller has loaded the channel.
pub struct AdmitVisitor {
    pub channel: Channel,
    pub visitor: Visitor,
    pub new: NewCustomerIds,
    /// The visitor's first message, if there is one.
    pub draft: Option<Draft>,
    /// The provider's ids of the visitor that are not linked to the customer yet.
    pub identities: Vec<Identity>,
}

impl Rule for AdmitVisitor {
    type Outcome = AdmittedCustomer;

    fn question(&self, _: &App) -> Question {
        question(&self.channel, &self.visitor, None)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<AdmittedCustomer>, Refusal> {
        let Self { channel, visitor, new, draft, identities } = self;
        let greeted = greet(context, facts, channel, visitor, new, draft.as_ref(), stamp)?;
        let (channel, customer, at) = (channel.id, greeted.outcome.customer.key, stamp.now);
        let identified = |identity: &Identity| {
            let identity = identity.clone();
            ChannelChange::Identify { channel, identity, customer, at }.into()
        };
        Ok(greeted.also(identities.iter().map(identified)))
    }
}

fn question(channel: &Channel, visitor: &Visitor, by: Option<&Admission>) -> Question {
    Question {
        users: vec![visitor.user_id.clone()],
        locks_users: true,
        omni: Some(OmnichannelQuestion {
            finds_settings: true,
            customer: Some((channel.id, visitor.user_id.clone())),
            finds_visitor_secret: by.is_some(),
            nonce: by.map(|by| by.nonces.used.clone()),
            ..OmnichannelQuestion::default()
        }),
        ..Question::default()
    }
}

fn greet(
    context: &Context,
    facts: &Facts,
    channel: &Channel,
    visitor: &Visitor,
    new: &NewCustomerIds,
    draft: Option<&Draft>,
    stamp: &Stamp<'_>,
) -> Result<Decision<AdmittedCustomer>, Refusal> {
    if !channel.is_active {
        return Err(Refusal::ChannelOff(channel.name.clone()));
    }
    let is_system = visitor.user_id == App::system_user_id(&context.app.code);
    if is_system || visitor.user_id.is_reserved() {
        return Err(Refusal::SystemUser(visitor.user_id.as_str().to_owned()));
    }
    let profile = profile(context, facts, channel, visitor, new);
    let known = registering::login_or_register(facts, &profile, context.app.system_user, stamp)?;
    let (mut changes, customer) = (known.changes, known.outcome);
    let before = facts.omni.customer_room.as_ref();
    let settings = &facts.omni.settings;
    let is_left = |room: &CustomerRoom| is_left_by(room, draft, settings, stamp.now);
    let (customer_room, room_before) = match before.filter(|room| !is_left(room)) {
        Some(room) => (room.clone(), None),
        None => {
            let opened = open(context, channel, visitor, &customer, new, stamp, &mut changes);
            (opened, before.map(|it| it.room))
        }
    };
    Ok(Decision::new(changes, AdmittedCustomer { customer, customer_room, room_before }))
}

/// Admits a visitor through the widget, after checking the proof that the app requires (D-0070).
/// Users with the same id in other channels are different people (D-0065). The flag is `true` if
/// the visitor is new.
pub struct AdmitStranger {
    pub channel: Channel,
    pub visitor: Visitor,
    pub new: NewCustomerIds,
    pub by: Admission,
}

impl Rule for AdmitStranger {
    type Outcome = (AdmittedCustomer, bool);

    fn question(&self, _: &App) -> Question {
        question(&self.channel, &self.visitor, Some(&self.by))
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<(AdmittedCustomer, bool)>, Refusal> {
        let Self { channel, visitor, new, by } = self;
        check_nonce(facts, stamp.now)?;
        check_proof(facts, &by.proof)?;
        let mut decision = greet(context, facts, channel, visitor, new, None, stamp)?;
        let Nonces { used, new, new_until } = by.nonces.clone();
        let used = UserChange::UseNonce { nonce: used };
        let added = UserChange::AddNonce { nonce: new, until: new_until };
        decision.changes.extend([used.into(), added.into()]);
        let is_new = is_new_visitor(facts);
        if is_new {
            let (channel, user) = (channel.id, visitor.user_id.clone());
            let hash = by.proof.new_secret_hash.clone();
            decision.changes.push(ChannelChange::SetVisitorSecret { channel, user, hash }.into());
        }
        Ok(decision.map(|greeted| (greeted, is_new)))
    }
}

fn is_new_visitor(facts: &Facts) -> bool {
    facts.omni.customer_room.is_none()
}

/// Fails if a visitor lacks the proof that the app's settings require. A new visitor has no secret
/// yet. A returning visitor without a stored secret, from before the app used secrets, needs an
/// identity token.
fn check_proof(facts: &Facts, proof: &WidgetProof) -> Result<(), Refusal> {
    let shows_secret = || {
        let kept = facts.omni.visitor_secret.as_ref();
        kept.is_some_and(|kept| proof.secret_hash.as_ref() == Some(kept))
    };
    let is_proven = proof.is_vouched_for
        || match facts.omni.settings.visitor_proof() {
            VisitorProof::None => true,
            VisitorProof::Secret => is_new_visitor(facts) || shows_secret(),
            VisitorProof::IdentityToken => false,
        };
    if is_proven { Ok(()) } else { Err(Refusal::VisitorNotProven) }
}

/// Stores a nonce that is valid for `good_s` seconds. The outcome is its expiry time.
pub struct CreateNonce {
    pub nonce: String,
    pub good_s: i64,
}

impl Rule for CreateNonce {
    type Outcome = Timestamp;

    fn question(&self, _: &App) -> Question {
        Question::default()
    }

    fn decide(
        &self,
        _: &Context,
        _: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Timestamp>, Refusal> {
        let until = Timestamp(stamp.now.0 + self.good_s * 1_000_000);
        let added = UserChange::AddNonce { nonce: self.nonce.clone(), until };
        Ok(Decision::new(vec![added.into()], until))
    }
}

/// Uses up a nonce. Refuses an unknown or expired one.
pub struct UseNonce {
    pub nonce: String,
}

impl Rule for UseNonce {
    type Outcome = ();

    fn question(&self, _: &App) -> Question {
        let omni = OmnichannelQuestion {
            nonce: Some(self.nonce.clone()),
            ..OmnichannelQuestion::default()
        };
        Question { omni: Some(omni), ..Question::default() }
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        check_nonce(facts, stamp.now)?;
        let used = UserChange::UseNonce { nonce: self.nonce.clone() };
        Ok(Decision::new(vec![used.into()], ()))
    }
}

fn check_nonce(facts: &Facts, now: Timestamp) -> Result<(), Refusal> {
    let is_good = facts.omni.nonce_until.is_some_and(|until| now < until);
    if is_good { Ok(()) } else { Err(Refusal::NonceNotGood) }
}

/// Whether a returning customer gets a new room instead of this one: the session is resolved and
/// the app is sessional.
pub fn is_left_behind(room: &CustomerRoom, settings: &Settings) -> bool {
    room.is_resolved() && settings.is_on(Settings::IS_SESSIONAL)
}

/// Whether a customer who returns, with this message if there is one, gets a new room instead of
/// this one. An answer to the rating question belongs to the room of its conversation.
pub(crate) fn is_left_by(
    room: &CustomerRoom,
    draft: Option<&Draft>,
    settings: &Settings,
    now: Timestamp,
) -> bool {
    let is_answer = |draft| surveying::answer(room, draft, settings, now).is_some();
    is_left_behind(room, settings) && !draft.is_some_and(is_answer)
}

/// Stores the extras of the room, the brand and the infos that a visitor's client reports, in the
/// visitor's existing room.
pub struct UpdateVisitor {
    pub room: RoomId,
    pub visitor: Visitor,
}

impl Rule for UpdateVisitor {
    type Outcome = CustomerRoom;

    fn question(&self, _: &App) -> Question {
        Question {
            rooms: vec![RoomRef::Id(self.room)],
            omni: Some(OmnichannelQuestion {
                finds_support: true,
                ..OmnichannelQuestion::default()
            }),
            ..Question::default()
        }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<CustomerRoom>, Refusal> {
        let Self { room, ref visitor } = *self;
        let mut serving = SupportRoom::of(context, facts, room, stamp)?;
        if visitor.room_extras.is_some() {
            serving.now.extras = visitor.room_extras.clone();
        }
        if visitor.brand.is_some() {
            serving.now.brand = visitor.brand.clone();
        }
        serving.learn(&visitor.infos);
        let customer_room = serving.now.clone();
        serving.end(customer_room)
    }
}

fn profile(
    context: &Context,
    facts: &Facts,
    channel: &Channel,
    visitor: &Visitor,
    new: &NewCustomerIds,
) -> Profile {
    let realm = Realm::Channel(channel.id);
    let known = facts.found_user(&UserRef::Of(realm, visitor.user_id.clone()));
    let known = known.map(|user| user.username.clone());
    let name = visitor.name.clone().or(known);
    Profile {
        app: context.app.id,
        realm,
        user_id: visitor.user_id.clone(),
        username: name.unwrap_or_else(|| visitor.user_id.as_str().to_owned()),
        avatar_url: visitor.avatar_url.clone(),
        extras: visitor.extras.clone(),
        password_hash: None,
        new_token: new.token.clone(),
    }
}

fn open(
    context: &Context,
    channel: &Channel,
    visitor: &Visitor,
    customer: &User,
    new: &NewCustomerIds,
    stamp: &Stamp<'_>,
    changes: &mut Vec<Change>,
) -> CustomerRoom {
    let (id, now) = (RoomId(stamp.next_id()), stamp.now);
    let brand = visitor.brand.as_deref().unwrap_or(&context.renderers.widget_source);
    let shown = channel.shown(brand);
    changes.push(Change::Room(RoomChange::Insert(Room {
        name: customer.username.clone(),
        avatar_url: customer.avatar_url.clone(),
        options: (context.renderers.room_options)(&shown, false, false).as_str().to_owned(),
        customer: Some(customer.key),
        ..Room::new(id, context.app.id, new.unique_id.clone(), RoomKind::Group, now)
    })));
    let (user, at) = (customer.key, now);
    changes.push(Change::Room(RoomChange::AddParticipant { room: id, user, read_number: 0, at }));
    let infos = visitor.infos.iter().cloned();
    changes.extend(infos.map(|info| SupportChange::PutInfo { room: id, info }.into()));
    let customer_room = CustomerRoom {
        room: id,
        app: context.app.id,
        channel: channel.id,
        customer: customer.key,
        session: None,
        waits_since: None,
        is_handled_by_bot: false,
        bot_duty: BotDuty::Always,
        brand: visitor.brand.clone(),
        extras: visitor.room_extras.clone(),
        badge_url: channel.logo_url.clone(),
        created_at: now,
        updated_at: now,
    };
    changes.push(SupportChange::PutCustomerRoom(Box::new(customer_room.clone())).into());
    customer_room
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channels::channel::ChannelKind;
    use crate::example::{self, CountingStamps};
    use crate::ids::ChannelId;
    use crate::webhooks::event::Session;

    fn channel() -> Channel {
        Channel {
            id: ChannelId(9),
            app: example::app().id,
            kind: ChannelKind::Custom,
            name: "SMS".to_owned(),
            is_active: true,
            identifier_key: String::new(),
            webhook_url: None,
            logo_url: None,
            phone: String::new(),
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
            deleted_at: None,
        }
    }

    fn greeted(facts: &Facts, user: &str) -> Result<Decision<AdmittedCustomer>, Refusal> {
        let visitor = Visitor {
            user_id: UserId::parse("user_id", user).expect("valid"),
            name: Some("Somebody".to_owned()),
            avatar_url: None,
            extras: None,
            room_extras: None,
            infos: vec![],
            brand: None,
        };
        let new = NewCustomerIds {
            token: "token".to_owned(),
            unique_id: RoomUniqueId::from_trusted("room-1".to_owned()),
        };
        let (context, stamps) = (example::context(), CountingStamps::default());
        let stamp = Stamp::new(&stamps, facts);
        greet(&context, facts, &channel(), &visitor, &new, None, &stamp)
    }

    fn resolved(facts: &Facts) -> CustomerRoom {
        let Ok(greeted) = greeted(facts, "new") else { panic!("the visitor is admitted") };
        let room = greeted.outcome.customer_room;
        let first = crate::ids::MessageId(1);
        let session = Session {
            id: crate::ids::SessionId(1),
            app: room.app,
            room: room.room,
            served_by: None,
            taken_at: None,
            notes: None,
            first_message: first,
            first_message_at: Timestamp(1),
            last_message: first,
            created_at: Timestamp(1),
            updated_at: Timestamp(1),
            resolved_at: Some(Timestamp(2)),
            resolved_by: None,
            first_reply_at: None,
            first_reply_by: None,
            reopened_at: None,
            rating: None,
            rated_at: None,
            rating_asked_at: None,
            unheard_since: None,
        };
        CustomerRoom { session: Some(session), ..room }
    }

    #[test]
    fn a_new_customer_gets_a_room_without_other_participants() {
        let Ok(decision) = greeted(&Facts::default(), "new") else {
            panic!("the visitor is admitted")
        };
        assert_eq!(decision.changes.len(), 4, "user, room, participant, customer's room");
        let AdmittedCustomer { customer, customer_room, .. } = decision.outcome;
        assert_eq!((customer_room.customer, customer_room.session), (customer.key, None));
    }

    #[test]
    fn a_resolved_room_is_reused_unless_the_app_is_sessional() {
        let mut facts = Facts::default();
        let before = resolved(&facts);
        facts.omni.customer_room = Some(before.clone());
        let Ok(same) = greeted(&facts, "new") else { panic!("the visitor is admitted") };
        assert_eq!(same.outcome.customer_room, before);
        let sessional = (Settings::IS_SESSIONAL.to_owned(), "true".to_owned());
        facts.omni.settings = Settings::from_stored([sessional]);
        let Ok(other) = greeted(&facts, "new") else { panic!("the visitor is admitted") };
        assert_eq!(other.outcome.customer_room.session, None, "it is another room");
    }

    #[test]
    fn reserved_user_ids_cannot_be_customers() {
        let facts = example::facts();
        assert!(matches!(greeted(&facts, "app_5@dashboard"), Err(Refusal::SystemUser(_))));
        assert!(matches!(greeted(&facts, "system@app"), Err(Refusal::SystemUser(_))));
    }

    #[test]
    fn a_customer_is_distinct_from_users_of_the_same_id_elsewhere() {
        let mut facts = example::facts();
        let Ok(decision) = greeted(&facts, "ana") else { panic!("the visitor is admitted") };
        let Change::User(UserChange::Insert(new)) = &decision.changes[0] else {
            panic!("the user is inserted first")
        };
        assert_eq!(new.user.realm, Realm::Channel(ChannelId(9)));
        assert!(greeted(&facts, "gone").is_ok(), "another user is deactivated");
        let mut customer = User { username: "Somebody".to_owned(), ..new.user.clone() };
        facts.users.push(Arc::new(customer.clone()));
        let Ok(decision) = greeted(&facts, "ana") else { panic!("the visitor is admitted") };
        assert_eq!(decision.outcome.customer.key, customer.key);
        assert!(
            !decision
                .changes
                .iter()
                .any(|it| matches!(it, Change::User(UserChange::Update { .. })))
        );
        facts.users.pop();
        customer.is_active = false;
        facts.users.push(Arc::new(customer));
        assert!(matches!(greeted(&facts, "ana"), Err(Refusal::UserDeactivated(_))));
    }
}
