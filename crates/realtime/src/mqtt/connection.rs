//! The task of one MQTT connection: handles the client's packets and writes the messages that the
//! client may see. It has one timer, and no buffer while the connection is idle.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use confab_domain::limits;
use confab_domain::messages::room_event::EphemeralEvent;
use confab_domain::people::user::User;
use confab_runtime::admission::activity::Activity;
use confab_runtime::admission::connections::Ticket;
use confab_runtime::clock;
use confab_runtime::failures::chain;
use confab_store::{ReadCaller, Reader, ReaderScope, StoreError};
use confab_wire::realtime::frames::custom_data;
use mqute_codec::protocol::QoS;
use mqute_codec::protocol::v4::{Connect, ConnectReturnCode, TopicQosFilter};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::allowance::Allowance;
use super::outbox::OutgoingMessage;
use super::packets::Broken;
use super::permitting;
use super::protocol::{ClientCommand, Protocol};
use super::sessions::{Claim, MqttSession, SessionPlace};
use super::subscriptions::Subscriptions;
use super::topic::{InRoom, Topic};
use crate::hub::{Address, AddressedSignal, CutOffReason, EphemeralSignal, Listener};
use crate::node::Realtime;
use crate::subscription_queue::SubscriptionReceiver;

/// Maximum number of signals taken from the connection's queue at a time.
const BATCH: usize = 64;
/// Estimated length of a message in bytes.
const MESSAGE_BYTES_USUAL: usize = 1_024;
/// Interval at which a blocked write checks whether the connection must end.
const WRITE_SLICE: Duration = Duration::from_millis(250);

/// The byte stream of a connection.
pub trait MqttTransport: Send {
    /// Appends the next received bytes to `to`. Returns `false` at the end of the stream. May be
    /// canceled without loss.
    fn receive(&mut self, to: &mut BytesMut) -> impl Future<Output = io::Result<bool>> + Send;
    /// Writes all bytes to the stream.
    fn send(&mut self, bytes: BytesMut) -> impl Future<Output = io::Result<()>> + Send;
    /// Returns the activity of the underlying socket.
    fn activity(&self) -> &Activity;
}

/// Reason why a connection ends.
enum DisconnectReason {
    /// The client sent DISCONNECT.
    Left,
    /// The network connection was lost.
    Lost,
    /// The client was silent for too long, or did not sign in in time.
    Silent,
    /// The client violated the protocol.
    Broken(Broken),
    /// The client's id was rejected.
    Refused,
    /// The server or the user has too many connections.
    Full,
    /// The client does not read, or does not acknowledge messages.
    Slow,
    /// The hub cut the connection off.
    CutOff(Option<CutOffReason>),
    /// Another connection of the client took over the session.
    TakenOver(Claim),
    /// The store failed. The client must try again.
    Unknowable(StoreError),
}

impl DisconnectReason {
    fn label(&self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Lost => "lost",
            Self::Silent => "silent",
            Self::Broken(Broken::Malformed) => "malformed",
            Self::Broken(Broken::TooMuch) => "too_much",
            Self::Broken(Broken::OutOfOrder) => "out_of_order",
            Self::Broken(Broken::WrongLevel) => "wrong_level",
            Self::Refused => "refused",
            Self::Full => "full",
            Self::Slow | Self::CutOff(Some(CutOffReason::Lagged)) => "slow",
            Self::CutOff(Some(CutOffReason::AccessEnded)) => "access_ended",
            Self::TakenOver(_) => "taken_over",
            Self::CutOff(Some(CutOffReason::Stopping) | None) => "stopping",
            Self::Unknowable(_) => "store_failed",
        }
    }
}

impl From<io::Error> for DisconnectReason {
    fn from(_: io::Error) -> Self {
        Self::Lost
    }
}

impl From<Broken> for DisconnectReason {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

impl From<StoreError> for DisconnectReason {
    fn from(error: StoreError) -> Self {
        Self::Unknowable(error)
    }
}

/// The signed-in user of a connection. No `Debug`: the token is a secret.
struct MqttUser {
    user: Arc<User>,
    /// Token with which the user signed in. It is valid until the hub cuts the connection off.
    token: Box<str>,
    /// Registration of the connection as the holder of the user's session.
    place: SessionPlace,
}

/// The state of one connection.
struct MqttConnection<W> {
    realtime: Arc<Realtime>,
    wire: W,
    protocol: Protocol,
    subscriptions: Subscriptions,
    listener: Listener,
    received: SubscriptionReceiver,
    /// Client id from CONNECT.
    client: Box<str>,
    /// Whether the session outlives the connection (clean session flag of CONNECT not set).
    is_lasting: bool,
    /// Admission as a long-lived connection, since CONNECT was accepted.
    ticket: Option<Box<Ticket>>,
    /// The signed-in user, since the client presented a token.
    user: Option<MqttUser>,
    /// Whether the client published that its user is online.
    is_present: bool,
    /// Pending messages of an earlier session, each held until the client subscribes to its topic.
    inherited: Vec<OutgoingMessage>,
    silence: Duration,
    silent_until: Instant,
    /// Time by which an anonymous client must sign in.
    nobody_until: Instant,
    allowance: Allowance,
    read_from: Instant,
}

/// Serves a connection until it ends, then holds its session until the client reconnects.
pub async fn serve(realtime: Arc<Realtime>, wire: impl MqttTransport) {
    realtime.hub.begun().await;
    let (listener, received) = realtime.hub.connect(false);
    let now = Instant::now();
    let silence = Duration::from_millis(limits::MQTT_CONNECT_TIMEOUT_MS);
    let mut connection = MqttConnection {
        realtime: realtime.clone(),
        wire,
        protocol: Protocol::default(),
        subscriptions: Subscriptions::default(),
        listener,
        received,
        client: Box::default(),
        is_lasting: false,
        ticket: None,
        user: None,
        is_present: false,
        inherited: Vec::new(),
        silence,
        silent_until: now + silence,
        nobody_until: now + silence,
        allowance: Allowance::new(now),
        read_from: now,
    };
    let end = match connection.run().await {
        Ok(never) => match never {},
        Err(end) => end,
    };
    connection.log_reason(&end);
    connection.set_present(false);
    // A waiting session is not a connection: release the slot for the connection that takes over.
    connection.ticket = None;
    if let Some((place, session, end)) = connection.into_session(end) {
        Box::pin(wait(&realtime, place, session, end)).await;
    }
}

/// Holds the session of a disconnected client until it is claimed, expires, overflows, or ends for
/// a newer one of the same user.
async fn wait(
    realtime: &Realtime,
    mut place: SessionPlace,
    mut session: MqttSession,
    end: DisconnectReason,
) {
    let sessions = &realtime.mqtt_sessions;
    if let DisconnectReason::TakenOver(claim) = end {
        // The claimant may be gone by now.
        let _ = claim.send(session);
        return;
    }
    let Some(mut away) = sessions.begin_waiting(&place) else { return sessions.leave(&place) };
    session.listener.set_away(true);
    let until = Instant::now() + Duration::from_secs(limits::MQTT_SESSION_TTL_S);
    let claim = tokio::select! {
        // Signals queued before the claim belong to the session.
        biased;
        () = keep(&mut session) => None,
        _ = &mut away.gives_way => None,
        claim = timeout_at(until, &mut place.claimed) => claim.ok().and_then(Result::ok),
    };
    match claim {
        Some(claim) => drop(claim.send(session)),
        None => sessions.leave(&place),
    }
}

/// Queues messages for a disconnected client. Returns when the session has ended or its queue is
/// full.
async fn keep(session: &mut MqttSession) {
    loop {
        let batch = session.received.some(BATCH).await;
        if batch.is_empty() {
            return;
        }
        for received in &batch {
            let message = session.subscriptions.message(received);
            let message = message.filter(|it| it.qos != QoS::AtMostOnce);
            // End the session rather than leave a gap in it: without a session, the client resyncs.
            if message.is_some_and(|it| session.exchange.outbox.keep(it).is_err()) {
                return;
            }
        }
    }
}

/// A type without values, for a future that returns only on failure.
enum Never {}

impl<W: MqttTransport> MqttConnection<W> {
    async fn run(&mut self) -> Result<Never, DisconnectReason> {
        let timer = sleep_until(self.silent_until);
        tokio::pin!(timer);
        loop {
            let now = Instant::now();
            let may_read = now >= self.read_from;
            if may_read && self.take_next().await? {
                continue;
            }
            self.flush().await?;
            let wake = if may_read { self.silent_until } else { self.read_from };
            // Reset the timer only to an earlier time: other resets are needless.
            if timer.deadline() > wake || timer.is_elapsed() {
                timer.as_mut().reset(wake);
            }
            tokio::select! {
                claim = claimed(&mut self.user) => return Err(match claim {
                    Some(claim) => DisconnectReason::TakenOver(claim),
                    None => DisconnectReason::CutOff(self.listener.ending()),
                }),
                batch = self.received.some(BATCH) => {
                    if batch.is_empty() || self.received.has_ended() {
                        return Err(DisconnectReason::CutOff(self.listener.ending()));
                    }
                    self.show(&batch).await?;
                }
                more = self.wire.receive(&mut self.protocol.inward), if may_read => {
                    if !more? {
                        return Err(DisconnectReason::Lost);
                    }
                }
                () = &mut timer => {
                    if Instant::now() >= self.silent_until {
                        return Err(DisconnectReason::Silent);
                    }
                }
            }
        }
    }

    /// Handles the next received packet. Returns `false` if none is complete.
    async fn take_next(&mut self) -> Result<bool, DisconnectReason> {
        if self.protocol.inward.is_empty() {
            // Idle connections hold no buffer.
            self.protocol.inward = BytesMut::new();
            return Ok(false);
        }
        let wish = match self.protocol.next() {
            Ok(Some(wish)) => wish,
            Ok(None) => return Ok(false),
            Err(broken) => {
                self.flush().await?;
                return Err(broken.into());
            }
        };
        let now = Instant::now();
        self.wait_from(now);
        self.read_from = self.allowance.spend(wish.cost(), now);
        // Box rare commands, so that they do not enlarge every connection's future.
        match wish {
            ClientCommand::Nothing => {}
            ClientCommand::Leave => return Err(DisconnectReason::Left),
            ClientCommand::Connect(connect) => Box::pin(self.begin(&connect)).await?,
            ClientCommand::Subscribe(id, filters) => Box::pin(self.subscribe(id, filters)).await?,
            ClientCommand::Unsubscribe(id, filters) => {
                for filter in filters {
                    let address = self.subscriptions.remove(&filter);
                    // The user's own address identifies the connection in the hub.
                    if let Some(address) = address.filter(|at| !matches!(at, Address::User(_))) {
                        self.listener.ignore(address);
                    }
                }
                self.protocol.unsubscribed(id);
            }
            ClientCommand::Publish(topic, payload) => {
                let taken = Box::pin(self.publish(&topic, &payload)).await?;
                let outcome = if taken { "taken" } else { "ignored" };
                metrics::counter!("confab_mqtt_publishes_total", "outcome" => outcome).increment(1);
            }
        }
        if self.protocol.outward.len() >= limits::MQTT_WRITE_BYTES {
            self.flush().await?;
        }
        Ok(true)
    }

    /// Sets the deadline for the client's next packet. An anonymous client must in addition sign in
    /// before `nobody_until`, whatever else it sends.
    fn wait_from(&mut self, now: Instant) {
        self.silent_until = now + self.silence;
        if self.user.is_none() {
            self.silent_until = self.silent_until.min(self.nobody_until);
        }
    }

    async fn begin(&mut self, connect: &Connect) -> Result<(), DisconnectReason> {
        let client = connect.client_id();
        let is_lasting = !connect.clean_session();
        self.ticket = self.realtime.connections.admit().map(Box::new);
        if self.ticket.is_none() {
            return self.refuse_as_full().await;
        }
        self.wire.activity().set_admitted();
        let is_nameless = client.is_empty() && is_lasting;
        if is_nameless || client.chars().count() > limits::MQTT_CLIENT_ID_CHARS_MAX {
            self.protocol.refuse(ConnectReturnCode::IdentifierRejected);
            self.flush().await?;
            return Err(DisconnectReason::Refused);
        }
        self.is_lasting = is_lasting;
        self.client = client.into();
        self.silence = match connect.keep_alive() {
            Duration::ZERO => Duration::from_secs(limits::MQTT_SILENCE_MAX_S),
            keep_alive => keep_alive * 3 / 2,
        };
        let now = Instant::now();
        self.nobody_until = now + Duration::from_millis(limits::MQTT_SIGN_IN_TIMEOUT_MS);
        self.wait_from(now);
        // A password that is a token signs the client in; any other is ignored (D-0042).
        let password = connect.credentials().and_then(|it| it.password());
        let has_session = match password {
            Some(token) => match self.sign_in(&token, true).await {
                Err(DisconnectReason::Full) => return self.refuse_as_full().await,
                signed_in => signed_in?.unwrap_or(false),
            },
            None => false,
        };
        self.protocol.welcome(has_session);
        Ok(())
    }

    async fn refuse_as_full(&mut self) -> Result<(), DisconnectReason> {
        self.protocol.refuse(ConnectReturnCode::ServerUnavailable);
        self.flush().await?;
        Err(DisconnectReason::Full)
    }

    /// Signs the connection in with a token. Returns whether the previous session continues, or
    /// `None` if the token is invalid or the connection is already signed in with another token.
    async fn sign_in(
        &mut self,
        token: &str,
        is_beginning: bool,
    ) -> Result<Option<bool>, DisconnectReason> {
        if let Some(known) = &self.user {
            return Ok((*known.token == *token).then_some(false));
        }
        let store = self.realtime.store.clone();
        let found = store.user_of_token(token).await?.filter(|user| user.is_active);
        let Some(user) = found else { return Ok(None) };
        let caller = ReadCaller::User(user.key);
        ReaderScope::current().set(Reader { app: user.app, caller });
        // The previous connection of the session must release its slot first.
        let (place, before) = self.realtime.mqtt_sessions.take(&self.client, &user).await;
        if self.ticket.as_mut().is_none_or(|ticket| !ticket.show(&user)) {
            self.realtime.mqtt_sessions.leave(&place);
            return Err(DisconnectReason::Full);
        }
        let goes_on = match before.filter(|it| self.is_lasting && *it.token == *token) {
            Some(session) => self.take_up(session, is_beginning),
            None => false,
        };
        self.listener.sign_in(user.key, token);
        let key = user.key;
        self.user = Some(MqttUser { user: Arc::new(user), token: token.into(), place });
        self.wait_from(Instant::now());
        // The token may have become invalid after the first check, before the hub could cut this
        // connection off.
        let is_good = store.user_of_token(token).await?;
        if is_good.is_none_or(|user| user.key != key || !user.is_active) {
            return Err(DisconnectReason::CutOff(Some(CutOffReason::AccessEnded)));
        }
        Ok(Some(goes_on))
    }

    /// Takes over a session. Returns whether it continues. It does not if the client presents its
    /// token only after CONNECT: CONNACK has then already announced no session, so the client
    /// receives the pending messages as new ones.
    fn take_up(&mut self, session: MqttSession, is_beginning: bool) -> bool {
        let MqttSession { listener, received, subscriptions, exchange, .. } = session;
        listener.set_away(false);
        (self.listener, self.received) = (listener, received);
        if is_beginning {
            self.subscriptions = subscriptions;
            self.protocol.exchange = exchange;
            return true;
        }
        for address in subscriptions.addresses() {
            if !matches!(address, Address::User(_)) {
                self.listener.ignore(address);
            }
        }
        let messages = exchange.outbox.into_messages().into_iter();
        let is_own =
            |it: &OutgoingMessage| Topic::parse(&it.topic).is_some_and(|topic| topic.is_own());
        self.inherited = messages.filter(is_own).collect();
        false
    }

    async fn subscribe(
        &mut self,
        id: u16,
        filters: Vec<TopicQosFilter>,
    ) -> Result<(), DisconnectReason> {
        let topics: Vec<_> = filters.iter().map(|it| Topic::parse(&it.topic)).collect();
        let mut granted = vec![None; filters.len()];
        let mut shown = Vec::new();
        // Handle filters with a token first: they permit the others in the same packet.
        for are_own in [true, false] {
            for (place, topic) in topics.iter().enumerate() {
                let Some(topic) = topic.as_ref().filter(|it| it.is_own() == are_own) else {
                    continue;
                };
                if let Topic::Own { token, .. } = topic
                    && self.sign_in(token, false).await?.is_none()
                {
                    continue;
                }
                let Some(MqttUser { user, .. }) = &self.user else { continue };
                let (realtime, listener) = (&self.realtime, &self.listener);
                let subject = permitting::subject(realtime, listener, user, topic).await?;
                let Some(subject) = subject else { continue };
                let (filter, qos) = (&filters[place].topic, filters[place].qos);
                let address = subject.address();
                if !self.subscriptions.add(filter, subject, qos) {
                    continue;
                }
                let has_seat = self.listener.listen(address)
                    && permitting::is_still_in(&self.realtime, user, address).await?;
                if !has_seat {
                    if let Some(address) = self.subscriptions.remove(filter) {
                        self.listener.ignore(address);
                    }
                    continue;
                }
                granted[place] = Some(qos);
                if let (Address::Presence(of), Topic::Presence { user }) = (address, topic) {
                    let known = self.realtime.presences.of(&[of]).await?;
                    shown.extend(known.first().map(|(_, is_online, at)| {
                        let payload = permitting::presence(user, *is_online, *at);
                        let topic = filter.as_str().into();
                        OutgoingMessage { topic, payload, qos, is_retained: true }
                    }));
                }
            }
        }
        let refused = granted.iter().filter(|it| it.is_none()).count() as u64;
        metrics::counter!("confab_mqtt_refused_filters_total").increment(refused);
        self.protocol.granted(id, granted);
        for message in shown.into_iter().chain(self.take_inherited()) {
            self.protocol.show(message).map_err(|_| DisconnectReason::Slow)?;
        }
        Ok(())
    }

    /// Takes the pending messages of the earlier session to whose topics the client has now
    /// subscribed.
    fn take_inherited(&mut self) -> Vec<OutgoingMessage> {
        let mut taken = Vec::new();
        for mut message in std::mem::take(&mut self.inherited) {
            match self.subscriptions.qos_of(&message.topic) {
                Some(qos) => {
                    message.qos = qos;
                    taken.push(message);
                }
                None => self.inherited.push(message),
            }
        }
        taken
    }

    /// Handles a PUBLISH. Returns `false` if the message was ignored.
    async fn publish(&mut self, topic: &str, payload: &[u8]) -> Result<bool, DisconnectReason> {
        let Some(MqttUser { user, .. }) = &self.user else { return Ok(false) };
        let by = user.clone();
        let (room, doing) = match Topic::parse(topic) {
            Some(Topic::Presence { user }) if user == by.user_id => {
                let Some(is_online) = permitting::presence_of(payload) else { return Ok(false) };
                self.set_present(is_online);
                return Ok(true);
            }
            Some(Topic::InRoom { room, user: Some(user), what: InRoom::Typing })
                if user == by.user_id =>
            {
                let is_typing = match payload {
                    b"1" => true,
                    b"0" => false,
                    _ => return Ok(false),
                };
                (room, EphemeralEvent::Typing { room, by, is_typing })
            }
            Some(Topic::Custom { room }) => {
                let text = std::str::from_utf8(payload).unwrap_or_default();
                let Ok(data) = custom_data(text) else { return Ok(false) };
                (room, EphemeralEvent::Custom { room, by, data })
            }
            _ => return Ok(false),
        };
        if !permitting::is_in(&self.realtime, &self.listener, user, room).await? {
            return Ok(false);
        }
        self.realtime.hub.pass(EphemeralSignal::Event(doing));
        Ok(true)
    }

    /// Sets whether this connection reports its user as online.
    fn set_present(&mut self, is_present: bool) {
        let Some(MqttUser { user, .. }) = &self.user else { return };
        if is_present != self.is_present {
            self.is_present = is_present;
            match is_present {
                true => self.realtime.presences.come(user, clock::now()),
                false => self.realtime.presences.go(user, clock::now()),
            }
        }
    }

    async fn show(&mut self, batch: &[AddressedSignal]) -> Result<(), DisconnectReason> {
        // Reserve one buffer instead of growing it.
        let expected = (batch.len() * MESSAGE_BYTES_USUAL).min(limits::MQTT_WRITE_BYTES);
        self.protocol.outward.reserve(expected);
        for received in batch {
            if let Some(message) = self.subscriptions.message(received) {
                self.protocol.show(message).map_err(|_| DisconnectReason::Slow)?;
            }
            if self.protocol.outward.len() >= limits::MQTT_WRITE_BYTES {
                self.flush().await?;
            }
        }
        Ok(())
    }

    /// Writes pending bytes. Fails if the client does not read in time, or if the connection must
    /// end.
    async fn flush(&mut self) -> Result<(), DisconnectReason> {
        if self.protocol.outward.is_empty() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut self.protocol.outward);
        let writing = self.wire.send(bytes);
        tokio::pin!(writing);
        let mut waited = Duration::ZERO;
        loop {
            if let Ok(written) = tokio::time::timeout(WRITE_SLICE, &mut writing).await {
                return Ok(written?);
            }
            waited += WRITE_SLICE;
            if self.received.has_ended() {
                return Err(DisconnectReason::CutOff(self.listener.ending()));
            }
            if waited >= Duration::from_millis(limits::MQTT_WRITE_TIMEOUT_MS) {
                return Err(DisconnectReason::Slow);
            }
            if let Some(MqttUser { place, .. }) = &mut self.user
                && let Ok(claim) = place.claimed.try_recv()
            {
                return Err(DisconnectReason::TakenOver(claim));
            }
        }
    }

    fn log_reason(&self, end: &DisconnectReason) {
        metrics::counter!("confab_mqtt_closed_total", "reason" => end.label()).increment(1);
        match end {
            DisconnectReason::Unknowable(error) => {
                tracing::warn!(error = %chain(error), "MQTT connection closed: the store failed");
            }
            _ => tracing::debug!(reason = end.label(), "MQTT connection closed"),
        }
    }

    /// Returns the session if it outlives the connection; otherwise removes its registration.
    fn into_session(
        self,
        end: DisconnectReason,
    ) -> Option<(SessionPlace, MqttSession, DisconnectReason)> {
        let MqttUser { place, token, .. } = self.user?;
        let is_over = matches!(end, DisconnectReason::CutOff(_) | DisconnectReason::Slow)
            || self.received.has_ended();
        if !self.is_lasting || is_over {
            self.realtime.mqtt_sessions.leave(&place);
            return None;
        }
        let mut exchange = self.protocol.exchange;
        for message in self.inherited {
            // Messages beyond the limit of the outbox are dropped.
            let _ = exchange.outbox.keep(message);
        }
        let session = MqttSession {
            token,
            listener: self.listener,
            received: self.received,
            subscriptions: self.subscriptions,
            exchange,
        };
        Some((place, session, end))
    }
}

/// Waits until another connection claims the session. Never resolves without a signed-in user.
async fn claimed(user: &mut Option<MqttUser>) -> Option<Claim> {
    match user {
        Some(MqttUser { place, .. }) => (&mut place.claimed).await.ok(),
        None => std::future::pending().await,
    }
}
