//! Live updates of the inbox (design/support).
//!
//! Changed rows, counts and agents are sent to all pages whose agent may see them, at a limited
//! rate. Messages and viewers of a conversation are sent only to pages that opened it. Frames are
//! hints: a page reads the lists after it connects, and again after every gap.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use confab_app::services::Services;
use confab_domain::agents::role::Role;
use confab_domain::decision::principal::Principal;
use confab_domain::ids::{AgentId, ChannelId, EventId, MessageId, RoomId};
use confab_domain::limits;
use confab_domain::messages::room_event::{EphemeralEvent, RoomEvent, RoomEventKind};
use confab_domain::people::user::User;
use confab_domain::rooms::room::RoomRef;
use confab_domain::support::conversations::customer_room::AgentRecord;
use confab_domain::support::conversations::seeing;
use confab_domain::support::settings::Settings;
use confab_queries::QueryError;
use confab_queries::customer_rooms::seen_room;
use confab_queries::inbox_counts;
use confab_queries::inbox_rows::RowExtras;
use confab_realtime::hub::{Address, AddressedSignal, CutOffReason, EphemeralSignal, Listener};
use confab_realtime::signal::{Signal, SignalContent};
use confab_realtime::subscription_queue::SubscriptionReceiver;
use confab_realtime::viewers::ViewingPage;
use confab_runtime::admission::connections::Ticket;
use confab_runtime::clock;
use confab_runtime::failures::chain;
use confab_store::{PageEntry, Store, StoreError, WriteError};
use confab_wire::omnichannel_api::support::assignment::counts::InboxCounts;
use confab_wire::realtime::inbox::{self as frames, InboxFrame, InboxRequest};
use tokio::time::{Instant, Interval, interval, sleep_until};

use crate::calls::calls;
use crate::live::{self, LiveFrame, LiveSource, NextFrames};
use crate::omnichannel::support::inbox_pace::{PacedItems, Rows};
use crate::omnichannel::support::marks;
use crate::requests::access::Everyone;
use crate::requests::bodies::{OpenedRooms, RequestQuery};
use crate::requests::callers::AgentCaller;
use crate::responses::answer::{Answer, Frames};
use crate::responses::problem::Problem;

/// Minimum interval between two frames that update the same row.
const ROW_EVERY: Duration = Duration::from_millis(250);

/// Minimum interval between two frames that update the counts, or that update the same agent.
const COUNTS_EVERY: Duration = Duration::from_secs(1);

/// Interval at which the page's sign-in and its agent's rights are checked.
const CHECK_EVERY: Duration = Duration::from_secs(10);

calls! {
    "Dashboard";
    /// Receive changes of conversations, by WebSocket or server-sent events
    GET "/api/v2/inbox/live" inbox_live = handler [403 404];
}

async fn handler(
    State(services): State<Services>,
    caller: AgentCaller<Everyone>,
    query: RequestQuery<OpenedRooms>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Answer<Frames<InboxFrame<'static>>> {
    let rooms = frames::read_opened(query.as_str())?;
    let speaker = services.store().user_by_key(caller.app.id, caller.agent.speaker).await?;
    let speaker = Arc::new(speaker.ok_or_else(Problem::wrong_token)?);
    let ticket =
        services.admission().connections.admit_user(&speaker).ok_or_else(live::too_many)?;
    services.realtime().hub.begun().await;
    let mut source = InboxSource::of(services, caller, speaker, ticket).await?;
    for room in rooms {
        let answer = source.answer(InboxRequest::Open { room, after: None }).await;
        let answer = answer.map(|frame| (None, LiveFrame::Own(frame)));
        source.waiting.extend(answer);
    }
    Ok(live::answer(upgrade, source).into())
}

/// The stream of one dashboard page that shows the inbox.
struct InboxSource {
    services: Services,
    principal: Principal,
    agent: AgentRecord,
    sight: Sight,
    token_hash: String,
    /// User as whom the agent posts.
    speaker: Arc<User>,
    listener: Listener,
    received: SubscriptionReceiver,
    viewing: ViewingPage,
    rows: Rows,
    /// Counts that were last sent to the page, or that were valid when it connected.
    counts: InboxCounts,
    counting: PacedItems<()>,
    staff: PacedItems<AgentId>,
    opened: HashSet<RoomId>,
    /// For each open conversation, the newest of the missed messages that were sent when the page
    /// opened it.
    caught_up: HashMap<RoomId, MessageId>,
    /// Frames to send. A frame with a room is sent only while the page has the room's conversation
    /// open.
    waiting: VecDeque<(Option<RoomId>, LiveFrame)>,
    /// Whether the sign-in or its agent may have changed and must be checked before the next frame.
    must_look: bool,
    /// Whether the sign-in has ended and the page was notified.
    is_over: bool,
    look: Interval,
    _ticket: Ticket,
}

/// Properties of an agent that determine which conversations the agent may see. When one changes,
/// the stream is closed, and the page must connect again and reload everything.
#[derive(PartialEq)]
struct Sight {
    role: Role,
    channels: Vec<ChannelId>,
    /// Whether agents may take over conversations that no agent serves.
    takes_over: bool,
    shows_all_resolved: bool,
}

impl Sight {
    async fn of(store: &Store, agent: &AgentRecord) -> Result<Self, StoreError> {
        let user = &agent.profile.user;
        if seeing::limited(Some(user)).is_none() {
            let (takes_over, shows_all_resolved) = (true, true);
            let channels = Vec::new();
            return Ok(Self { role: user.role, channels, takes_over, shows_all_resolved });
        }
        let set = store.settings(user.app).await?;
        let mut channels = agent.channels.clone();
        channels.sort_unstable();
        Ok(Self {
            role: user.role,
            channels,
            takes_over: set.is_on(Settings::TAKEOVER),
            shows_all_resolved: set.shows_all_resolved(),
        })
    }
}

/// A frame that can be due, and whose content is read when it is sent.
#[derive(Clone, Copy)]
enum Due {
    Row(RoomId),
    Counts,
    Staff(AgentId),
}

impl LiveSource for InboxSource {
    fn hello(&self) -> (String, Option<String>) {
        let agent = self.agent.profile.user.id;
        let version = env!("CARGO_PKG_VERSION");
        (frames::hello(agent, version, limits::REALTIME_HEARTBEAT_MS), None)
    }

    async fn next(&mut self) -> Result<NextFrames, StoreError> {
        loop {
            if let Some(known) = self.next_known().await? {
                return Ok(known);
            }
            let due = self.next_due();
            tokio::select! {
                biased;
                received = self.received.some(limits::REALTIME_FRAMES_PER_WRITE) => {
                    if received.is_empty() {
                        let ending = self.listener.ending().unwrap_or(CutOffReason::Stopping);
                        return Ok(NextFrames::Ended(ending));
                    }
                    received.into_iter().for_each(|it| self.receive(it));
                }
                () = sleep_until(due.map_or_else(far_off, |(_, at)| at)), if due.is_some() => {
                    let Some((due, _)) = due else { continue };
                    let Some(frame) = self.shown(due).await? else { continue };
                    return Ok(own(frame));
                }
                _ = self.look.tick() => self.must_look = true,
            }
        }
    }

    async fn take(&mut self, text: &str) -> Option<String> {
        match InboxRequest::read(text) {
            Ok(request) => self.answer(request).await,
            Err(why) => Some(frames::error(why)),
        }
    }
}

impl InboxSource {
    /// Subscribes to the page's signals before it reads anything, so that no change is missed in
    /// between.
    async fn of(
        services: Services,
        AgentCaller { principal, agent, token_hash, .. }: AgentCaller<Everyone>,
        speaker: Arc<User>,
        ticket: Ticket,
    ) -> Result<Self, StoreError> {
        let (listener, received) = services.realtime().hub.connect(false);
        let user = &agent.profile.user;
        listener.listen(Address::Inbox(principal.app.id));
        listener.listen(Address::Agent(user.id));
        let sight = Sight::of(services.store(), &agent).await?;
        let counts = inbox_counts::count(services.store(), principal.app.id, Some(&agent)).await?;
        let viewing = services.realtime().viewers.page(user.id, &user.name);
        Ok(Self {
            services,
            principal,
            agent,
            sight,
            token_hash,
            speaker,
            listener,
            received,
            viewing,
            rows: Rows::every(ROW_EVERY),
            counts,
            counting: PacedItems::every(COUNTS_EVERY),
            staff: PacedItems::every(COUNTS_EVERY),
            opened: HashSet::new(),
            caught_up: HashMap::new(),
            waiting: VecDeque::new(),
            must_look: true,
            is_over: false,
            look: interval(CHECK_EVERY),
            _ticket: ticket,
        })
    }

    /// Checks the sign-in if it may have changed, then returns the queued frames. Returns `None` if
    /// there are none.
    async fn next_known(&mut self) -> Result<Option<NextFrames>, StoreError> {
        if self.is_over {
            return Ok(Some(NextFrames::Ended(CutOffReason::AccessEnded)));
        }
        if self.must_look {
            let store = self.services.store();
            let Some(agent) = store.signed_in(&self.token_hash, clock::now()).await? else {
                self.is_over = true;
                return Ok(Some(own(frames::signed_out())));
            };
            // Waiting frames were selected by the earlier rights.
            if Sight::of(store, &agent).await? != self.sight {
                return Ok(Some(NextFrames::Ended(CutOffReason::AccessEnded)));
            }
            (self.agent, self.must_look) = (agent, false);
        }
        while let Some(room) = self.rows.unchecked_of(&self.opened) {
            // The row follows the messages of its room.
            let row = self.check(room).await?.map(|row| (None, LiveFrame::Own(row)));
            self.waiting.extend(row);
        }
        let waiting = self.take_waiting();
        Ok(Some(waiting).filter(|it| !it.is_empty()).map(NextFrames::Frames))
    }

    /// Queues the changes in a signal. Frames of rows, counts and agents wait until their interval
    /// has passed.
    fn receive(&mut self, AddressedSignal { at, signal }: AddressedSignal) {
        match (&signal.shown, at) {
            (SignalContent::InboxRow(room), at) => {
                self.rows.note(*room);
                if matches!(at, Address::Inbox(_)) {
                    self.counting.note(());
                }
            }
            (SignalContent::StaffRow(agent), _) => self.staff.note(*agent),
            (SignalContent::Tags, _) => self.waiting.push_back((None, LiveFrame::Shared(signal))),
            (SignalContent::AgentChanged, _) => {
                self.must_look = true;
                self.counting.note(());
            }
            (_, Address::Conversation(room)) if !self.has_caught_up(room, &signal) => {
                self.waiting.push_back((Some(room), LiveFrame::Shared(signal)));
            }
            _ => {}
        }
    }

    /// Whether the signal is a message that the page already received among those that it had
    /// missed when it opened the conversation.
    fn has_caught_up(&self, room: RoomId, signal: &Signal) -> bool {
        let SignalContent::Event { event, .. } = &signal.shown else { return false };
        let posted = matches!(event.what, RoomEventKind::Posted { .. });
        posted && self.caught_up.get(&room).is_some_and(|last| event.id.0 <= last.0)
    }

    /// Checks whether the agent may still see a changed conversation, before any of its new
    /// messages are sent. Returns the frame of its row, if that is due.
    async fn check(&mut self, room: RoomId) -> Result<Option<String>, StoreError> {
        if self.rows.paced.is_due(room) {
            return self.row(room).await;
        }
        match seen_room(self.services.store(), &self.principal.app, Some(&self.agent), room).await {
            Ok(_) => {}
            Err(QueryError::Refused(_)) => self.close(room),
            Err(QueryError::Failed(error)) => return Err(error),
        }
        self.rows.checked(room);
        Ok(None)
    }

    fn take_waiting(&mut self) -> Vec<LiveFrame> {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let is_open = |room: &Option<RoomId>| room.is_none_or(|room| self.opened.contains(&room));
        waiting.filter(|(room, _)| is_open(room)).map(|(_, frame)| frame).collect()
    }

    fn next_due(&self) -> Option<(Due, Instant)> {
        let row = self.rows.paced.next().map(|(room, at)| (Due::Row(room), at));
        let counts = self.counting.next().map(|((), at)| (Due::Counts, at));
        let staff = self.staff.next().map(|(agent, at)| (Due::Staff(agent), at));
        row.into_iter().chain(counts).chain(staff).min_by_key(|(_, at)| *at)
    }

    async fn shown(&mut self, due: Due) -> Result<Option<String>, StoreError> {
        match due {
            Due::Row(room) => self.row(room).await,
            Due::Counts => self.changed_counts().await,
            Due::Staff(agent) => self.staff_row(agent).await,
        }
    }

    /// Returns the frame that updates a row with the data that the agent may see now, or that
    /// removes the row. Returns `None` if the agent may not see the room and never saw it.
    async fn row(&mut self, room: RoomId) -> Result<Option<String>, StoreError> {
        let (app, agent) = (&self.principal.app, Some(&self.agent));
        let found = match seen_room(self.services.store(), app, agent, room).await {
            Ok(found) => Some(found),
            Err(QueryError::Refused(_)) => None,
            Err(QueryError::Failed(error)) => return Err(error),
        };
        let is_there = found.is_some();
        let frame = match found {
            Some((found, serving)) => {
                let rows = self.services.decisions().rows();
                let beside = RowExtras::read(rows, app.id, agent, &found, serving).await?;
                Some(frames::room(&beside.view(&found, agent, clock::now())))
            }
            None => self.may_have_seen(room).await?.then(|| frames::room_gone(room)),
        };
        if !is_there {
            self.close(room);
        }
        self.rows.shown(room, is_there);
        Ok(frame)
    }

    /// Returns the frame that updates the counts, if they differ from those that the page shows.
    async fn changed_counts(&mut self) -> Result<Option<String>, StoreError> {
        let (store, app) = (self.services.store(), self.principal.app.id);
        let counts = inbox_counts::count(store, app, Some(&self.agent)).await?;
        self.counting.done(());
        if counts == self.counts {
            return Ok(None);
        }
        self.counts = counts;
        Ok(Some(frames::counts(&self.counts)))
    }

    /// Returns the frame that updates an agent in the page's list of agents, if the list contains
    /// the agent: admins and supervisors see all staff, agents see themselves and other agents.
    async fn staff_row(&mut self, agent: AgentId) -> Result<Option<String>, StoreError> {
        let found = self.services.store().agent(self.principal.app.id, agent).await?;
        self.staff.done(agent);
        let own = &self.agent.profile.user;
        let sees_all = seeing::limited(Some(own)).is_none();
        let is_shown = |role: Role| sees_all || agent == own.id || role == Role::Agent;
        let found = found.filter(|it| is_shown(it.profile.user.role));
        Ok(found.map(|it| frames::agent(&it)))
    }

    /// Handles a frame that the page sent. Returns the frame to answer with, if any.
    async fn answer(&mut self, request: InboxRequest) -> Option<String> {
        match self.done(request).await {
            Ok(answer) => answer,
            Err(QueryError::Refused(refusal)) => Some(frames::error(&refusal.to_string())),
            Err(QueryError::Failed(error)) => {
                tracing::warn!(
                    app.id = self.principal.app.id.0,
                    error = %chain(&error),
                    "failed to handle a dashboard frame"
                );
                Some(frames::error("Try again later."))
            }
        }
    }

    async fn done(&mut self, request: InboxRequest) -> Result<Option<String>, QueryError> {
        match request {
            InboxRequest::Ping => return Ok(Some(frames::pong())),
            InboxRequest::Close { room } => self.close(room),
            InboxRequest::Open { room, after } => return self.open(room, after).await.map(Some),
            InboxRequest::Read { room, message } => self.read(room, message).await?,
            InboxRequest::Typing { room, is_typing } => {
                let (_, serving) =
                    seen_room(self.services.store(), &self.principal.app, Some(&self.agent), room)
                        .await?;
                self.viewing.set_typing(room, is_typing);
                if serving.iter().any(|it| it.user.id == self.agent.profile.user.id) {
                    let by = self.speaker.clone();
                    self.services.realtime().hub.pass(EphemeralSignal::Event(
                        EphemeralEvent::Typing { room, by, is_typing },
                    ));
                }
            }
        }
        Ok(None)
    }

    async fn open(&mut self, room: RoomId, after: Option<MessageId>) -> Result<String, QueryError> {
        seen_room(self.services.store(), &self.principal.app, Some(&self.agent), room).await?;
        if self.opened.len() >= limits::INBOX_OPEN_ROOMS_MAX && !self.opened.contains(&room) {
            return Ok(frames::error("Too many conversations are open. Close some first."));
        }
        self.opened.insert(room);
        self.rows.known(room);
        self.listener.listen(Address::Conversation(room));
        if let Some(after) = after {
            self.catch_up(room, after).await?;
        }
        self.viewing.open(room);
        Ok(frames::opened(room))
    }

    /// Queues the messages after `after`, so that they are sent before new ones. If there are too
    /// many, queues a frame by which the page reloads the conversation.
    async fn catch_up(&mut self, room: RoomId, after: MessageId) -> Result<(), StoreError> {
        let (store, hub) = (self.services.store(), &self.services.realtime().hub);
        let most = limits::INBOX_MISSED_MAX;
        let missed = store.following(room, after, 0, most + 1).await?;
        let found = store.room(self.principal.app.id, &RoomRef::Id(room)).await?.map(Arc::new);
        // Messages that were not loaded with the page are too large.
        let posted: Option<Vec<_>> = missed.iter().map(PageEntry::loaded).collect();
        let posted = posted.filter(|posted| posted.len() <= most);
        let Some((posted, found)) = posted.zip(found) else {
            self.waiting.push_back((Some(room), LiveFrame::Own(frames::resync(room))));
            return Ok(());
        };
        let cursor = hub.cursor().to_string();
        for posted in posted {
            self.caught_up.insert(room, posted.message.id);
            let (id, room_then) = (EventId(posted.message.id.0), found.clone());
            let what = RoomEventKind::Posted { posted, room: room_then };
            let shown = SignalContent::Event {
                event: RoomEvent { id, room, what },
                cursor: cursor.clone(),
            };
            let frame = LiveFrame::Shared(Arc::new(Signal::new(shown)));
            self.waiting.push_back((Some(room), frame));
        }
        Ok(())
    }

    async fn read(&self, room: RoomId, message: MessageId) -> Result<(), QueryError> {
        // The stream ends if the role changes, so the right of the connection is current.
        let (by, agent) = (&self.principal, &self.agent);
        seen_room(self.services.store(), &by.app, Some(agent), room).await?;
        match marks::note_read(self.services.decisions(), by, agent, (room, message)).await {
            Ok(()) => Ok(()),
            Err(WriteError::Refused(refusal)) => Err(QueryError::Refused(refusal)),
            Err(WriteError::Failed(error)) => Err(QueryError::Failed(error)),
        }
    }

    /// Whether the page's lists may contain a room that the agent may no longer see: because the
    /// room was sent to the page, or because the agent serves its channel.
    async fn may_have_seen(&self, room: RoomId) -> Result<bool, StoreError> {
        if let Some(was_shown) = self.rows.was_shown(room) {
            return Ok(was_shown);
        }
        let found = self.services.store().customer_room(self.principal.app.id, room).await?;
        Ok(found.is_some_and(|it| self.agent.serves_channel(it.customer_room.channel)))
    }

    fn close(&mut self, room: RoomId) {
        if self.opened.remove(&room) {
            self.listener.ignore(Address::Conversation(room));
            self.viewing.close(room);
            self.caught_up.remove(&room);
        }
    }
}

fn own(frame: String) -> NextFrames {
    NextFrames::Frames(vec![LiveFrame::Own(frame)])
}

fn far_off() -> Instant {
    Instant::now() + CHECK_EVERY
}
