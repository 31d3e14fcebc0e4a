//! The subscriptions of one MQTT client. They determine the topic on which the client receives a
//! signal.

use std::sync::Arc;

use confab_domain::ids::{RoomId, UserKey};
use confab_domain::limits;
use confab_domain::messages::room_event::{EphemeralEvent, RoomEvent, RoomEventKind};
use confab_domain::people::user::UserId;
use mqute_codec::protocol::QoS;

use super::outbox::OutgoingMessage;
use super::topic::{InRoom, OwnTopic};
use crate::hub::{Address, AddressedSignal};
use crate::signal::SignalContent;

/// A granted filter.
struct Subscription {
    /// The filter exactly as the client wrote it, because the client unsubscribes with the same
    /// text.
    filter: Arc<str>,
    subject: Subject,
    qos: QoS,
}

/// The events to which a granted filter subscribes.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Subject {
    Own(UserKey, OwnTopic),
    Channel(RoomId),
    InRoom(RoomId, Option<UserId>, InRoom),
    Custom(RoomId),
    Assistant(RoomId),
    Presence(UserKey),
}

impl Subject {
    /// Returns the hub address at which the subject's signals are published.
    pub(super) fn address(&self) -> Address {
        match self {
            Self::Own(user, _) => Address::User(*user),
            Self::Channel(room) => Address::Channel(*room),
            Self::InRoom(room, ..) | Self::Custom(room) | Self::Assistant(room) => {
                Address::Room(*room)
            }
            Self::Presence(user) => Address::Presence(*user),
        }
    }
}

/// All subscriptions of one client.
#[derive(Default)]
pub(super) struct Subscriptions(Vec<Subscription>);

impl Subscriptions {
    /// Adds a filter, or changes its QoS if it exists. Returns `false` if the client has too many.
    pub(super) fn add(&mut self, filter: &str, subject: Subject, qos: QoS) -> bool {
        if let Some(known) = self.0.iter_mut().find(|it| *it.filter == *filter) {
            known.qos = qos;
            return true;
        }
        if self.0.len() >= limits::MQTT_FILTERS_MAX {
            return false;
        }
        self.0.push(Subscription { filter: filter.into(), subject, qos });
        true
    }

    /// Removes a filter. Returns its hub address if no other filter needs that address.
    pub(super) fn remove(&mut self, filter: &str) -> Option<Address> {
        let place = self.0.iter().position(|it| *it.filter == *filter)?;
        let address = self.0.swap_remove(place).subject.address();
        let has_viewers = self.0.iter().any(|it| it.subject.address() == address);
        (!has_viewers).then_some(address)
    }

    /// Returns the hub address of each filter.
    pub(super) fn addresses(&self) -> impl Iterator<Item = Address> + '_ {
        self.0.iter().map(|it| it.subject.address())
    }

    /// Returns the granted QoS of the filter with exactly this text.
    pub(super) fn qos_of(&self, filter: &str) -> Option<QoS> {
        self.0.iter().find(|it| *it.filter == *filter).map(|it| it.qos)
    }

    /// Builds the message for a signal that was published at a hub address. Returns `None` if no
    /// filter of the client matches it.
    pub(super) fn message(&self, received: &AddressedSignal) -> Option<OutgoingMessage> {
        let (topic, qos) = match (received.at, &received.signal.shown) {
            (Address::User(user), SignalContent::Event { event, .. }) => {
                self.exactly(&Subject::Own(user, own(event)?))?
            }
            (Address::Channel(room), SignalContent::Event { event, .. }) => match event.what {
                RoomEventKind::Posted { .. } => self.exactly(&Subject::Channel(room))?,
                _ => return None,
            },
            (Address::Room(room), SignalContent::Event { event, .. }) => match &event.what {
                RoomEventKind::Received(by) => {
                    self.in_room(room, &by.by.user_id, InRoom::Received)?
                }
                RoomEventKind::Read(by) => self.in_room(room, &by.by.user_id, InRoom::Read)?,
                _ => return None,
            },
            (Address::Room(room), SignalContent::Ephemeral(doing)) => match doing {
                EphemeralEvent::Typing { by, .. } => {
                    self.in_room(room, &by.user_id, InRoom::Typing)?
                }
                EphemeralEvent::Custom { .. } => self.exactly(&Subject::Custom(room))?,
            },
            (Address::Presence(user), SignalContent::Presence(_)) => {
                self.exactly(&Subject::Presence(user))?
            }
            _ => return None,
        };
        let payload = received.signal.payload().clone();
        Some(OutgoingMessage { topic, payload, qos, is_retained: false })
    }

    /// Finds the filter with this subject. It has no wildcards, so it is also the topic.
    fn exactly(&self, subject: &Subject) -> Option<(Arc<str>, QoS)> {
        let found = self.0.iter().find(|it| it.subject == *subject)?;
        Some((found.filter.clone(), found.qos))
    }

    /// Builds the topic of an event of a user in a room. If several filters match, the message is
    /// sent once with their highest QoS.
    fn in_room(&self, room: RoomId, user: &UserId, what: InRoom) -> Option<(Arc<str>, QoS)> {
        let mut best: Option<QoS> = None;
        for it in &self.0 {
            let Subject::InRoom(at, who, this) = &it.subject else { continue };
            let fits = *at == room && *this == what && who.as_ref().is_none_or(|who| who == user);
            if fits && best.is_none_or(|best| best < it.qos) {
                best = Some(it.qos);
            }
        }
        let topic = format!("r/{room}/{room}/{}/{}", user.as_str(), what.letter());
        Some((topic.into(), best?))
    }
}

fn own(event: &RoomEvent) -> Option<OwnTopic> {
    match event.what {
        RoomEventKind::Posted { .. } => Some(OwnTopic::Messages),
        RoomEventKind::Edited { .. } => Some(OwnTopic::Edits),
        RoomEventKind::Deleted { .. } | RoomEventKind::Cleared { .. } => {
            Some(OwnTopic::Notifications)
        }
        RoomEventKind::Received(_) | RoomEventKind::Read(_) => None,
    }
}
