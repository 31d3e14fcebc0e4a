//! Applies the changes of a decision to the loaded facts, for the next decisions of the batch.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use confab_domain::decision::change::{
    Change, MessageChange, RoomChange, UserChange, WebhookChange,
};
use confab_domain::decision::facts::Participation;
use confab_domain::ids::{AppId, EndpointId, RoomId, UserKey};
use confab_domain::messages::message::PostedMessage;
use confab_domain::messages::room_event::{RoomEvent, RoomEventKind};
use confab_domain::push::push_facts::PushDevice;
use confab_domain::rooms::room::LastMessage;
use confab_domain::webhooks::endpoint::Endpoint;

use super::{BatchFacts, FoundRoom};

impl BatchFacts {
    /// Applies one change of a decision to the loaded facts.
    pub(in crate::postgres) fn take_up(&mut self, app: AppId, change: &Change) {
        match change {
            Change::Message(change) => self.take_up_message(app, change),
            Change::Room(change) => self.take_up_room(change),
            Change::User(change) => self.take_up_user(change),
            Change::Webhook(change) => self.take_up_webhook(app, change),
            // Only one decision of a commit asks for these.
            Change::Agent(_)
            | Change::Service(_)
            | Change::Channel(_)
            | Change::File(_)
            | Change::Search(_)
            | Change::App(_)
            | Change::Audit(_)
            | Change::PurgeAuditLog { .. } => {}
        }
    }

    fn take_up_message(&mut self, app: AppId, change: &MessageChange) {
        match change {
            MessageChange::Insert { posted, .. } => self.post(app, posted),
            MessageChange::InsertEvent(event) => self.happen(event),
            MessageChange::Delete { room, id, .. } => {
                if let Some(posted) = self.posted.get_mut(&(*room, *id)) {
                    posted.message.is_deleted = true;
                }
            }
            MessageChange::PurgeEvents { .. } | MessageChange::Hide { .. } => {}
        }
    }

    fn take_up_room(&mut self, change: &RoomChange) {
        match change {
            RoomChange::Insert(room) => {
                let names = self.names.entry(room.app).or_default();
                names.insert(room.unique_id.clone(), room.id);
                let found = FoundRoom { room: Arc::new(room.clone()), last: None, version: 0 };
                self.rooms.insert(room.id, found);
            }
            RoomChange::Update(room) => {
                if let Some(found) = self.rooms.get_mut(&room.id) {
                    found.room = Arc::new(room.clone());
                }
            }
            RoomChange::AddParticipant { room, user, read_number, .. } => {
                if let Entry::Vacant(place) = self.members.entry((*room, *user)) {
                    let read_number = *read_number;
                    place.insert(Participation { read_number, ..Participation::default() });
                    *self.participants.entry(*room).or_default() += 1;
                }
                self.take_in(*room, *user);
                self.change_audience(*room);
            }
            RoomChange::RemoveParticipant { room, user } => {
                if self.members.remove(&(*room, *user)).is_some() {
                    let count = self.participants.entry(*room).or_default();
                    *count = count.saturating_sub(1);
                }
                self.people.entry(*room).or_default().retain(|it| it.key != *user);
                self.change_audience(*room);
            }
        }
    }

    /// Adds a user to the loaded participants of a room, if the user is loaded.
    fn take_in(&mut self, room: RoomId, user: UserKey) {
        let Some(user) = self.senders.get(&user) else { return };
        let people = self.people.entry(room).or_default();
        if people.iter().all(|it| it.key != user.key) {
            people.push(user.clone());
        }
    }

    fn take_up_user(&mut self, change: &UserChange) {
        match change {
            UserChange::Insert(new) => self.keep_user(Arc::new(new.user.clone())),
            UserChange::Update { user, .. } => self.keep_user(Arc::new(user.clone())),
            UserChange::RemoveDevice { user, token } => {
                self.keep_devices(|it| it.user != *user || it.token != *token);
            }
            UserChange::RemoveDevices { user } => self.keep_devices(|it| it.user != *user),
            // The new owner is known from the next commit on; the previous one loses the device at
            // once.
            UserChange::PutDevice { user, device, .. } => {
                self.keep_devices(|it| it.user == *user || it.token != device.token);
            }
            // These are in no fact, or only one decision of a commit asks for them.
            UserChange::SetToken { .. }
            | UserChange::Erase { .. }
            | UserChange::SetPresence { .. }
            | UserChange::EndPresences { .. }
            | UserChange::AddNonce { .. }
            | UserChange::UseNonce { .. }
            | UserChange::PurgeNonces { .. }
            | UserChange::Block { .. }
            | UserChange::Unblock { .. } => {}
        }
    }

    fn take_up_webhook(&mut self, app: AppId, change: &WebhookChange) {
        match change {
            WebhookChange::PutEndpoint(endpoint) => self.put_endpoint(endpoint.clone()),
            WebhookChange::RemoveEndpoint { endpoint } => {
                let of_app = self.endpoints.get_mut(&app);
                of_app.map(|of_app| of_app.remove(endpoint));
            }
            WebhookChange::SetPaused { endpoint, is_paused } => {
                self.change_endpoint(app, *endpoint, |it| it.is_paused = *is_paused);
            }
            WebhookChange::SetHealth { endpoint, failing, is_enabled } => {
                self.change_endpoint(app, *endpoint, |it| {
                    (it.failing, it.is_enabled) = (*failing, *is_enabled);
                });
            }
            WebhookChange::InsertDelivery(delivery) => {
                let key = (delivery.lane, delivery.endpoint);
                self.sequences.insert(key, delivery.sequence);
            }
            WebhookChange::RecordAttempt { .. } | WebhookChange::Replay { .. } => {}
        }
    }

    fn happen(&mut self, event: &RoomEvent) {
        let mut up_to = |user: UserKey, change: &dyn Fn(&mut Participation)| {
            self.members.get_mut(&(event.room, user)).into_iter().for_each(change);
        };
        let raise = |number: &mut u64, to: u64| *number = (*number).max(to);
        match &event.what {
            RoomEventKind::Edited { posted, .. } => {
                self.posted.insert((posted.message.room, posted.message.id), (**posted).clone());
            }
            RoomEventKind::Cleared { by, number, .. } => up_to(by.key, &|it| {
                raise(&mut it.cleared_number, *number);
                raise(&mut it.read_number, *number);
            }),
            RoomEventKind::Received(receipt) => {
                up_to(receipt.by.key, &|it| raise(&mut it.received_number, receipt.number));
            }
            RoomEventKind::Read(receipt) => up_to(receipt.by.key, &|it| {
                raise(&mut it.received_number, receipt.number);
                raise(&mut it.read_number, receipt.number);
            }),
            RoomEventKind::Posted { .. } | RoomEventKind::Deleted { .. } => {}
        }
    }

    fn change_audience(&mut self, room: RoomId) {
        if let Some(found) = self.rooms.get_mut(&room) {
            Arc::make_mut(&mut found.room).audience += 1;
        }
    }

    fn post(&mut self, app: AppId, posted: &PostedMessage) {
        let message = &posted.message;
        if let Some(found) = self.rooms.get_mut(&message.room) {
            found.last = Some(LastMessage { id: message.id, number: message.number });
        }
        if let Some(sender) = self.members.get_mut(&(message.room, message.sender)) {
            sender.read_number = sender.read_number.max(message.number);
        }
        // Ids made by the server are not known to clients before the answer.
        let Some(unique_id) = &message.client_unique_id else { return };
        let place = (message.room, message.id);
        self.client_ids.entry(app).or_default().insert(unique_id.clone(), place);
        self.posted.insert(place, posted.clone());
    }

    /// Updates the endpoint with the same kind and name, which keeps its id and creation time, or
    /// adds a new one.
    fn put_endpoint(&mut self, mut endpoint: Endpoint) {
        let known = self.endpoints.get(&endpoint.app).into_iter().flat_map(HashMap::values);
        let is_it = |it: &&Arc<Endpoint>| it.kind == endpoint.kind && it.name == endpoint.name;
        if let Some(before) = known.into_iter().find(is_it) {
            (endpoint.id, endpoint.created_at) = (before.id, before.created_at);
        }
        self.keep_endpoint(endpoint);
    }

    fn change_endpoint(&mut self, app: AppId, id: EndpointId, change: impl Fn(&mut Endpoint)) {
        let of_app = self.endpoints.get_mut(&app);
        if let Some(endpoint) = of_app.and_then(|of_app| of_app.get_mut(&id)) {
            change(Arc::make_mut(endpoint));
        }
    }

    fn keep_devices(&mut self, is_kept: impl Fn(&PushDevice) -> bool) {
        for devices in self.devices_in.values_mut().chain(self.devices_of.values_mut()) {
            devices.retain(&is_kept);
        }
    }
}
