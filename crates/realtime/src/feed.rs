//! The realtime feed: one task that publishes committed changes to connected clients, in commit
//! order.
//!
//! The store notifies the feed of each commit of this node; the feed publishes the changes and
//! sends a hint to the other nodes. A hint from another node names the row to read; after a gap in
//! the hints, missed events are read from the store. No commit waits for this task: if it falls
//! behind, all connections are cut off and their clients resync.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use confab_domain::decision::commit_event::{CommitEvent, CommitListener};
use confab_domain::ids::{AgentId, AppId, EventId, MessageId, NoteId, RoomId, TrailId, UserKey};
use confab_domain::limits;
use confab_domain::messages::room_event::{EphemeralEvent, RoomEvent, RoomEventKind};
use confab_domain::people::user::User;
use confab_domain::rooms::room::RoomKind;
use confab_domain::support::annotations::note::NoteEvent;
use confab_domain::support::conversations::trail::TrailEntry;
use confab_queries::trail;
use confab_runtime::failures::chain;
use confab_store::{Audience, NewestEvents, RoomEventPage, Store, StoreError};
use confab_wire::realtime::inbox as frames;
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use super::cursor::Cursor;
use super::hints::{self, Hint};
use super::hub::{Address, CutOffReason, EphemeralSignal, Hub};
use super::inbox_changes;
use super::lag::CHECK_EVERY;
use super::presence::Presences;
use super::room_move::{Moves, RoomMove};
use super::signal::{Signal, SignalContent};
use super::viewers::{REPEAT_EVERY, Viewers};
use crate::bus::Bus;
use crate::bus::receiving::{HintArrival, ReceivedHint};

/// Interval between attempts to read the start position from the store.
const BEGIN_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Maximum number of queued commits that are published before other sources are polled.
const COMMITS_TOGETHER_MAX: usize = 32;
/// Maximum number of signals that are queued together.
const RUN_SIGNALS_MAX: usize = 32;

/// Missed events, each with the connected users who missed it.
type MissedEvents = BTreeMap<EventId, (RoomEvent, Vec<UserKey>)>;

/// The events of a commit, and the time at which they were queued.
type QueuedCommit = (Instant, Vec<(AppId, CommitEvent)>);

/// The feed's knowledge of which events a node has written.
struct NodeProgress {
    /// Newest event id of the node that was published here, or whose hint the bus delivers.
    level: EventId,
    /// Whether the node has written later events while the bus delivered nothing from it.
    is_unheard: bool,
}

/// Queues commit events for the feed without blocking the commit.
struct FeedListener {
    queue: mpsc::Sender<QueuedCommit>,
    has_missed: Arc<AtomicBool>,
}

impl CommitListener for FeedListener {
    fn receive(&self, news: Vec<(AppId, CommitEvent)>) {
        if self.queue.try_send((Instant::now(), news)).is_err() {
            self.has_missed.store(true, Ordering::Relaxed);
        }
    }
}

/// Consecutive signals of one room for the same audience. They are queued together, so that each
/// connection wakes only once.
struct SignalRun {
    room: RoomId,
    audience: Arc<Audience>,
    is_doing: bool,
    is_channel: bool,
    signals: Vec<Arc<Signal>>,
}

impl SignalRun {
    /// Whether a signal with these properties can be added to this run.
    fn goes_on(
        &self,
        room: RoomId,
        audience: &Arc<Audience>,
        is_doing: bool,
        is_channel: bool,
    ) -> bool {
        let is_alike = (self.room, self.is_doing, self.is_channel) == (room, is_doing, is_channel);
        let has_room = self.signals.len() < RUN_SIGNALS_MAX;
        is_alike && has_room && Arc::ptr_eq(&self.audience, audience)
    }
}

/// Returns the room's addresses at which a signal is published, in addition to those of its
/// participants.
fn places(room: RoomId, is_doing: bool, is_channel: bool) -> impl Iterator<Item = Address> {
    let in_room = is_doing.then_some(Address::Room(room));
    let channel = is_channel.then_some(Address::Channel(room));
    in_room.into_iter().chain(channel).chain([Address::Conversation(room)])
}

/// The task that publishes commits of this node, hints from other nodes, and ephemeral signals.
pub struct Feed {
    store: Store,
    hub: Hub,
    bus: Bus,
    hints: mpsc::Receiver<HintArrival>,
    presences: Arc<Presences>,
    viewers: Viewers,
    news: mpsc::Receiver<QueuedCommit>,
    passing: mpsc::Receiver<EphemeralSignal>,
    has_missed: Arc<AtomicBool>,
    audiences: HashMap<RoomId, Arc<Audience>>,
    /// Consecutive signals of one room, which are published together next.
    run: Option<SignalRun>,
    /// Events of this node that were published after a gap. The commit notifications of these
    /// events may still be queued and are then skipped.
    healed: HashSet<EventId>,
    /// Write progress of each node, by node number.
    nodes: HashMap<i64, NodeProgress>,
}

impl Feed {
    /// Registers the feed as the store's commit listener.
    pub(crate) fn new(
        store: Store,
        hub: Hub,
        presences: Arc<Presences>,
        viewers: Viewers,
        passing: mpsc::Receiver<EphemeralSignal>,
        (bus, hints): (Bus, mpsc::Receiver<HintArrival>),
    ) -> Self {
        let (queue, news) = mpsc::channel(limits::REALTIME_COMMITS_MAX);
        let has_missed = Arc::new(AtomicBool::new(false));
        store.set_commit_listener(Arc::new(FeedListener { queue, has_missed: has_missed.clone() }));
        let (audiences, healed, nodes) = (HashMap::new(), HashSet::new(), HashMap::new());
        Self {
            store,
            hub,
            presences,
            viewers,
            bus,
            hints,
            news,
            passing,
            has_missed,
            audiences,
            run: None,
            healed,
            nodes,
        }
    }

    /// Publishes until all sources end. If it runs again after a panic, all connections are cut off
    /// and their clients resync, because some events may not have been published.
    pub async fn run(&mut self) {
        self.begin().await;
        let mut look = tokio::time::interval(CHECK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut publish_again = tokio::time::interval(REPEAT_EVERY);
        publish_again.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                // Poll this first, so that a busy feed does not postpone it.
                _ = look.tick(), if !self.bus.is_alone() => self.look().await,
                Some((since, news)) = self.news.recv() => {
                    self.hub.lag.begin(since);
                    self.process_commits(news).await;
                    // Publish queued commits in the same run.
                    for _ in 0..COMMITS_TOGETHER_MAX {
                        let Ok((since, more)) = self.news.try_recv() else { break };
                        self.hub.lag.begin(since);
                        self.process_commits(more).await;
                    }
                    self.show_run();
                }
                Some((since, hint)) = self.hints.recv() => {
                    self.hub.lag.begin(since);
                    match hint {
                        ReceivedHint::Hint { bytes } => self.take_hints(&bytes).await,
                        ReceivedHint::Gap => self.take_gap().await,
                    }
                }
                Some(passing) = self.passing.recv() => {
                    self.hub.lag.begin(Instant::now());
                    self.send_hints(Hint::of_passing(&passing).as_slice());
                    self.show_passing(passing).await;
                }
                _ = publish_again.tick(), if !self.bus.is_alone() => self.viewers.publish_again(),
                else => return,
            }
            self.hub.lag.end();
            if self.has_missed.swap(false, Ordering::Relaxed) {
                tracing::warn!(
                    node = self.store.node(),
                    queue_max = limits::REALTIME_COMMITS_MAX,
                    "realtime feed overflowed; clients will resync"
                );
                self.hub.end_all(CutOffReason::Lagged);
            }
        }
    }

    /// Reads the position after which events are new. Retries until it is read, because without it
    /// every stored event would count as new.
    async fn begin(&mut self) {
        self.hub.lag.begin(Instant::now());
        if self.hub.restart() {
            // Hints for some of this node's commits may not have been sent.
            self.bus.publish_resync();
        }
        self.audiences.clear();
        self.healed.clear();
        self.run = None;
        // These commits are on disk by now, so the start position includes them.
        while self.news.try_recv().is_ok() {}
        let mut again = tokio::time::interval(BEGIN_AGAIN_AFTER);
        loop {
            again.tick().await;
            match self.newest().await {
                Ok(stored) => {
                    self.nodes.clear();
                    for (node, level) in &stored.of_nodes {
                        let progress = NodeProgress { level: *level, is_unheard: false };
                        self.nodes.insert(*node, progress);
                    }
                    self.hub.begin_at(Cursor::now(stored.ids(), self.hub.horizon()));
                    return self.hub.lag.end();
                }
                Err(error) => {
                    tracing::warn!(
                        error = %chain(&error),
                        "failed to read the start position of the realtime feed; retrying"
                    );
                }
            }
        }
    }

    /// Reads the newest event id of each node, and updates the shared clock.
    async fn newest(&self) -> Result<NewestEvents, StoreError> {
        let begun = Instant::now();
        let stored = self.store.newest_events().await?;
        // If the read took long, the time in its result is too old to set the clock.
        if let Some(now) = stored.now.filter(|_| begun.elapsed() < CHECK_EVERY) {
            self.hub.set_shared_clock(now);
        }
        Ok(stored)
    }

    /// Compares the published events with the store, and publishes those of nodes from which the
    /// bus delivers nothing.
    async fn look(&mut self) {
        // Read the cursor before the store: everything that it has passed is committed.
        let seen = self.hub.cursor();
        let stored = match self.newest().await {
            Ok(stored) => stored,
            Err(error) => {
                tracing::warn!(error = %chain(&error), "failed to compare realtime with the store");
                return;
            }
        };
        let is_missing = self.note_progress(&stored);
        let is_level = match self.restart_if_ahead(&seen, &stored) {
            true => true,
            false if is_missing || self.bus.problem().is_some() => self.heal().await,
            false => true,
        };
        if is_level {
            let unheard = self.nodes.values().filter(|it| it.is_unheard).count();
            self.hub.lag.level(unheard);
        }
    }

    /// Records the newest event of each node. Returns whether a node wrote events in two checks in
    /// a row while the bus delivered nothing from it: that node runs another version, or has
    /// another key file or `nats_url`.
    fn note_progress(&mut self, stored: &NewestEvents) -> bool {
        let own = self.store.node();
        let mut is_missing = false;
        for (node, newest) in &stored.of_nodes {
            let unseen = NodeProgress { level: EventId(0), is_unheard: false };
            let progress = self.nodes.entry(*node).or_insert(unseen);
            let is_ahead = *newest > progress.level;
            let has_viewers = Some(*node) == own || self.bus.hears(*node);
            // Hints of a node that has just started may not have arrived yet.
            let is_known = std::mem::replace(&mut progress.is_unheard, is_ahead && !has_viewers);
            if has_viewers || (is_ahead && is_known) {
                progress.level = *newest;
            }
            is_missing |= progress.is_unheard && is_known;
        }
        is_missing
    }

    /// Resets the cursor to the store's newest events if the cursor is ahead of them. Otherwise
    /// clients would receive nothing until the nodes catch up.
    fn restart_if_ahead(&mut self, seen: &Cursor, stored: &NewestEvents) -> bool {
        let horizon = self.hub.horizon();
        if !seen.is_ahead_of(stored, horizon) {
            return false;
        }
        tracing::warn!(
            node = self.store.node(),
            "realtime cursor was ahead of the store; clients will resync"
        );
        metrics::counter!("confab_realtime_cursor_resets_total").increment(1);
        self.audiences.clear();
        self.healed.clear();
        self.hub.begin_at(Cursor::now(stored.ids(), horizon));
        true
    }

    fn send_hints(&self, hints: &[Hint]) {
        if !self.bus.is_alone() {
            hints::frames(hints).into_iter().for_each(|frame| self.bus.send(frame));
        }
    }

    async fn process_commits(&mut self, news: Vec<(AppId, CommitEvent)>) {
        let changed = inbox_changes::changed(&news);
        let staff = inbox_changes::staff(&news, &changed);
        if !self.bus.is_alone() {
            let of_commit_event =
                news.iter().filter_map(|(app, it)| Hint::of_commit_event(*app, it));
            let rows = changed.iter().copied().map(Hint::of_inbox);
            let staff = staff.iter().copied().map(Hint::of_staff);
            self.send_hints(&rows.chain(of_commit_event).chain(staff).collect::<Vec<_>>());
        }
        // Publish row changes before messages: agents who lose access to the room must not receive
        // them.
        if !changed.is_empty() || !staff.is_empty() {
            self.show_run();
        }
        changed.into_iter().for_each(|(app, room)| self.show_row(app, room));
        staff.into_iter().for_each(|(app, agent)| self.show_staff(app, agent));
        let moves = Moves::among(&news, |(_, news)| RoomMove::of_commit_event(news));
        for (place, (app, news)) in news.into_iter().enumerate() {
            if !matches!(news, CommitEvent::Happened(_)) {
                self.show_run();
            }
            match news {
                CommitEvent::Happened(event) if self.healed.remove(&event.id) => {}
                CommitEvent::Happened(event) => {
                    let leaving = moves.leaving(event.room, place);
                    self.line_up(event, leaving).await;
                }
                CommitEvent::Audience { room, user, is_in } => {
                    self.change_audience(room, user, is_in)
                }
                CommitEvent::Access { user } => self.hub.end_user(user, CutOffReason::AccessEnded),
                CommitEvent::Agent { agent } => self.show_agent(agent),
                CommitEvent::Tags => self.show_tags(app),
                CommitEvent::Trail(entry) => self.show_trail(entry),
                CommitEvent::Seen { room, agent } => self.show_seen(agent, room),
                CommitEvent::Note { room, note, what } => {
                    if let Err(error) = self.show_note(room, note, what).await {
                        tracing::warn!(
                            room.id = room.0,
                            note.id = note.0,
                            error = %chain(&error),
                            "failed to read a changed note for open conversations"
                        );
                        self.hub.end_inboxes(CutOffReason::Lagged);
                    }
                }
                CommitEvent::ChannelState { room, message } => {
                    if let Err(error) = self.show_state(room, message).await {
                        tracing::warn!(
                            room.id = room.0,
                            message.id = message.0,
                            error = %chain(&error),
                            "failed to read the delivery state of a message for open conversations"
                        );
                        self.hub.end_inboxes(CutOffReason::Lagged);
                    }
                }
                CommitEvent::CustomerRoom { .. } => {}
            }
        }
    }

    fn show_agent(&self, agent: AgentId) {
        self.hub.show(&Arc::new(Signal::new(SignalContent::AgentChanged)), [Address::Agent(agent)]);
    }

    /// Publishes the change of an agent's read position to that agent only.
    fn show_seen(&self, agent: AgentId, room: RoomId) {
        self.hub
            .show(&Arc::new(Signal::new(SignalContent::InboxRow(room))), [Address::Agent(agent)]);
    }

    fn show_tags(&self, app: AppId) {
        self.hub.show(&Arc::new(Signal::new(SignalContent::Tags)), [Address::Inbox(app)]);
    }

    fn show_staff(&self, app: AppId, agent: AgentId) {
        self.hub
            .show(&Arc::new(Signal::new(SignalContent::StaffRow(agent))), [Address::Inbox(app)]);
    }

    /// Publishes a changed note to the agents who have the conversation open. The note is read from
    /// the store, so that all nodes publish the same text; a deleted note has an event of its own.
    async fn show_note(
        &self,
        room: RoomId,
        note: NoteId,
        what: NoteEvent,
    ) -> Result<(), StoreError> {
        if !self.hub.hears(Address::Conversation(room)) {
            return Ok(());
        }
        let frame = match what {
            NoteEvent::Deleted => frames::note_gone(room, note),
            NoteEvent::Added | NoteEvent::Changed => match self.store.note(room, note).await? {
                Some(found) => frames::note(&found, what),
                None => return Ok(()),
            },
        };
        self.hub.show(
            &Arc::new(Signal::new(SignalContent::Note(frame))),
            [Address::Conversation(room)],
        );
        Ok(())
    }

    /// Publishes the delivery state of a message to the agents who have the conversation open. The
    /// state is read from the store, because the committed value may not have changed it.
    async fn show_state(&self, room: RoomId, message: MessageId) -> Result<(), StoreError> {
        if !self.hub.hears(Address::Conversation(room)) {
            return Ok(());
        }
        let parts = self.store.message_states(room, (message, message)).await?;
        let Some(frame) = frames::channel_status(room, message, &parts) else { return Ok(()) };
        let signal = Arc::new(Signal::new(SignalContent::ChannelState(frame)));
        self.hub.show(&signal, [Address::Conversation(room)]);
        Ok(())
    }

    fn show_row(&self, app: AppId, room: RoomId) {
        self.hub.show(&Arc::new(Signal::new(SignalContent::InboxRow(room))), [Address::Inbox(app)]);
    }

    fn show_trail(&self, entry: TrailEntry) {
        let room = entry.room;
        let signal = Arc::new(Signal::new(SignalContent::Trail(entry)));
        self.hub.show(&signal, [Address::Conversation(room)]);
    }

    fn change_audience(&mut self, room: RoomId, user: UserKey, is_in: bool) {
        self.audiences.remove(&room);
        if !is_in {
            self.hub.leave_room(user, room);
        }
    }

    async fn take_hints(&mut self, frame: &[u8]) {
        let hints = hints::read(frame);
        let moves = Moves::among(&hints, RoomMove::of_hint);
        for (place, hint) in hints.into_iter().enumerate() {
            if let Err(error) = self.take_hint(hint, place, &moves).await {
                // Treat a hint that cannot be applied as lost.
                tracing::warn!(
                    error = %chain(&error),
                    "failed to apply a change notice from another node"
                );
                self.heal().await;
            }
        }
    }

    /// Publishes the events that were missed in a gap, then applies the hints that were queued
    /// after it. Further gaps in the queue need no second pass, however many there are.
    async fn take_gap(&mut self) {
        let mut behind = Vec::new();
        while let Ok((_, hint)) = self.hints.try_recv() {
            if let ReceivedHint::Hint { bytes } = hint {
                behind.push(bytes);
            }
        }
        self.heal().await;
        for bytes in behind {
            self.take_hints(&bytes).await;
        }
    }

    /// Applies one hint. `place` is its index in the frame, to which `moves` refers.
    async fn take_hint(
        &mut self,
        hint: Hint,
        place: usize,
        moves: &Moves,
    ) -> Result<(), StoreError> {
        match hint {
            Hint::Event { room, id, audience } => {
                let (room, id) = hints::place(room, id);
                if self.hub.cursor().has_seen(id) {
                    return Ok(());
                }
                let leaving = moves.leaving(room, place);
                let is_left_by = |user: &UserKey| self.hub.hears(Address::User(*user));
                let has_viewers = leaving.iter().any(is_left_by);
                let event = match has_viewers || self.has_viewers(room, audience).await {
                    true => self.store.event(room, id).await?,
                    false => None,
                };
                match event {
                    Some(event) => self.show(event, leaving).await,
                    // No connection here needs the event, or it is already deleted. An id from the
                    // future counts only if the store has the event.
                    None if self.hub.horizon().reaches(id) => self.hub.advance(id),
                    None => {}
                }
            }
            Hint::Receipt { app, room, id, by, message, unique, number, read } => {
                let (room, id) = hints::place(room, id);
                if self.hub.is_empty() || self.hub.cursor().has_seen(id) {
                    return Ok(());
                }
                let is_future = !self.hub.horizon().reaches(id);
                if is_future && self.store.event(room, id).await?.is_none() {
                    return Ok(());
                }
                let Some(by) = self.user(app, by).await? else { return Ok(()) };
                let receipt = hints::receipt(by, message, unique, number);
                let what = if read {
                    RoomEventKind::Read(receipt)
                } else {
                    RoomEventKind::Received(receipt)
                };
                self.show(RoomEvent { id, room, what }, Vec::new()).await;
            }
            Hint::Member { room, user, is_in } => {
                self.change_audience(RoomId(room), UserKey(user), is_in);
            }
            Hint::Access { user } => self.hub.end_user(UserKey(user), CutOffReason::AccessEnded),
            Hint::Typing { app, room, by, on } => {
                if let Some(by) = self.publishing_user(app, by).await? {
                    let doing = EphemeralEvent::Typing { room: RoomId(room), by, is_typing: on };
                    self.show_passing(EphemeralSignal::Event(doing)).await;
                }
            }
            Hint::Custom { app, room, by, data } => {
                if let Some(by) = self.publishing_user(app, by).await? {
                    let data = hints::data(&data);
                    let doing = EphemeralEvent::Custom { room: RoomId(room), by, data };
                    self.show_passing(EphemeralSignal::Event(doing)).await;
                }
            }
            Hint::Presence { user, id, on, at } => {
                self.show_passing(hints::presence(user, id, on, at)).await;
            }
            Hint::Inbox { app, room } => self.show_row(AppId(app), RoomId(room)),
            Hint::Trail { app, room, id } => {
                let (app, room, id) = (AppId(app), RoomId(room), TrailId(id));
                if self.hub.hears(Address::Conversation(room))
                    && let Some(entry) = trail::one(&self.store, app, room, id).await?
                {
                    self.show_trail(entry);
                }
            }
            Hint::Note { room, note, what } => {
                let what = NoteEvent::ALL.into_iter().find(|it| it.as_str() == what);
                if let Some(what) = what {
                    self.show_note(RoomId(room), NoteId(note), what).await?;
                }
            }
            Hint::ChannelState { room, message } => {
                self.show_state(RoomId(room), MessageId(message)).await?;
            }
            Hint::Agent { agent } => self.show_agent(AgentId(agent)),
            Hint::Tags { app } => self.show_tags(AppId(app)),
            Hint::Staff { app, agent } => self.show_staff(AppId(app), AgentId(agent)),
            Hint::Seen { agent, room } => self.show_seen(AgentId(agent), RoomId(room)),
            Hint::Viewers(viewers) => self.viewers.receive(viewers),
        }
        Ok(())
    }

    async fn publishing_user(&self, app: i64, by: i64) -> Result<Option<Arc<User>>, StoreError> {
        if self.hub.is_empty() { Ok(None) } else { self.user(app, by).await }
    }

    async fn user(&self, app: i64, by: i64) -> Result<Option<Arc<User>>, StoreError> {
        Ok(self.store.user_by_key(AppId(app), UserKey(by)).await?.map(Arc::new))
    }

    /// Whether any connection here would receive an event of the room.
    async fn has_viewers(&mut self, room: RoomId, audience: i64) -> bool {
        if self.hub.is_empty() {
            return false;
        }
        if self.hub.hears(Address::Channel(room)) || self.hub.hears(Address::Conversation(room)) {
            return true;
        }
        match self.audience_of(room, audience).await {
            Some(audience) => {
                audience.users.iter().any(|user| self.hub.hears(Address::User(*user)))
            }
            None => true,
        }
    }

    /// Publishes the stored events that connected users have not seen, because hints may have been
    /// lost. Also cuts off inboxes, and users whose token has become invalid. Returns `false` if
    /// the store cannot be read.
    async fn heal(&mut self) -> bool {
        self.audiences.clear();
        // Changes of inbox rows are not stored, so they cannot be published again.
        self.hub.end_inboxes(CutOffReason::Lagged);
        let healed = self.try_heal().await;
        if let Err(error) = &healed {
            tracing::warn!(
                error = %chain(error),
                "failed to read missed realtime events; clients will resync"
            );
            self.hub.end_all(CutOffReason::Lagged);
        }
        healed.is_ok()
    }

    async fn try_heal(&mut self) -> Result<(), StoreError> {
        let seen = self.hub.cursor();
        // Missed events are read page by page. Limit the range, so that events that happen during
        // the reads are not skipped; they have their own hints.
        let stored = self.newest().await?;
        if self.restart_if_ahead(&seen, &stored) {
            return Ok(());
        }
        let until = Cursor::now(stored.ids(), self.hub.horizon());
        let Some(missed) = self.missed(&seen, &until).await? else {
            // All clients resync from their own cursors.
            self.hub.begin_at(until);
            return Ok(());
        };
        // This node's own commit notifications of these events may still be queued.
        self.healed.retain(|event| *event > seen.base());
        let own = self.store.node();
        self.healed.extend(missed.keys().filter(|event| Some(event.node()) == own));
        for (event, missed_by) in missed.into_values() {
            self.show(event, missed_by).await;
        }
        for token in self.hub.tokens() {
            let user = self.store.user_of_token(&token).await?;
            if !user.is_some_and(|user| user.is_active) {
                self.hub.end_token(&token, CutOffReason::AccessEnded);
            }
        }
        Ok(())
    }

    /// Returns the events between the two cursors that connected users missed, with those users.
    /// `None` if there are too many events, or if no client is connected.
    async fn missed(
        &self,
        seen: &Cursor,
        until: &Cursor,
    ) -> Result<Option<MissedEvents>, StoreError> {
        let (mut missed, mut bytes) = (MissedEvents::new(), 0);
        let page = limits::REALTIME_MISSED_PER_READ;
        let users = self.hub.users().into_iter().map(Address::User);
        let channels = self.hub.channels().into_iter().map(Address::Channel);
        if self.hub.is_empty() {
            return Ok(None);
        }
        for at in users.chain(channels) {
            let mut after = seen.base();
            loop {
                let RoomEventPage { events, has_more } = match at {
                    Address::User(user) => self.store.events_after(user, after, page).await?,
                    Address::Channel(room) => {
                        self.store.channel_events_after(room, after, page).await?
                    }
                    _ => RoomEventPage::default(),
                };
                let is_last = !has_more || events.is_empty();
                after = events.last().map_or(after, |event| event.id);
                let is_missed =
                    |event: &RoomEvent| !seen.has_seen(event.id) && until.has_seen(event.id);
                for event in events.into_iter().filter(is_missed) {
                    let (_, missed_by) = missed.entry(event.id).or_insert_with(|| {
                        bytes += event.content_bytes();
                        (event, Vec::new())
                    });
                    if let Address::User(user) = at {
                        missed_by.push(user);
                    }
                }
                let is_too_much = missed.len() > limits::REALTIME_MISSED_MAX;
                if is_too_much || bytes > limits::REALTIME_MISSED_BYTES_MAX {
                    return Ok(None);
                }
                if is_last {
                    break;
                }
            }
        }
        Ok(Some(missed))
    }

    /// Publishes an event to the participants of its room, and to the users in `also`, who were
    /// participants when it happened and have left since.
    async fn show(&mut self, event: RoomEvent, also: Vec<UserKey>) {
        self.line_up(event, also).await;
        self.show_run();
    }

    /// Adds an event to the current run, which [`Self::show_run`] publishes. `also` are users who
    /// were participants when it happened and have left since.
    async fn line_up(&mut self, event: RoomEvent, also: Vec<UserKey>) {
        self.hub.advance(event.id);
        if self.hub.is_empty() {
            return;
        }
        let room = event.room;
        let audience = match &event.what {
            RoomEventKind::Cleared { by, .. } => {
                Arc::new(Audience { version: 0, users: vec![by.key] })
            }
            _ => match self.audience(&event).await {
                Some(audience) => audience,
                None => return self.hub.end_all(CutOffReason::Lagged),
            },
        };
        let is_for_all = !matches!(event.what, RoomEventKind::Cleared { .. });
        let is_channel =
            is_for_all && event.room_then().is_some_and(|room| room.kind == RoomKind::Public);
        // Only this task advances the cursor, so it is still at this event.
        let cursor = self.hub.cursor().to_string();
        let signal = Arc::new(Signal::new(SignalContent::Event { event, cursor }));
        let is_doing = signal.is_doing();
        if !is_for_all || !also.is_empty() {
            self.show_run();
            let left = also.iter().filter(|user| is_for_all && !audience.users.contains(user));
            let users = audience.users.iter().chain(left).map(|user| Address::User(*user));
            let of_room = is_for_all.then(|| places(room, is_doing, is_channel));
            return self.hub.show(&signal, users.chain(of_room.into_iter().flatten()));
        }
        match &mut self.run {
            Some(run) if run.goes_on(room, &audience, is_doing, is_channel) => {
                run.signals.push(signal);
            }
            _ => {
                self.show_run();
                let signals = vec![signal];
                self.run = Some(SignalRun { room, audience, is_doing, is_channel, signals });
            }
        }
    }

    /// Publishes the current run.
    fn show_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        let SignalRun { room, audience, is_doing, is_channel, signals } = run;
        let users = audience.users.iter().map(|user| Address::User(*user));
        self.hub.show_all(&signals, is_doing, users.chain(places(room, is_doing, is_channel)));
    }

    async fn show_passing(&mut self, passing: EphemeralSignal) {
        match passing {
            EphemeralSignal::Event(doing) => {
                let (EphemeralEvent::Typing { room, .. } | EphemeralEvent::Custom { room, .. }) =
                    &doing;
                let room = *room;
                // Without the audience, the signal is dropped: ephemeral signals may be lost.
                let Some(audience) = self.audience_of(room, 0).await else { return };
                let signal = Arc::new(Signal::new(SignalContent::Ephemeral(doing)));
                let users = audience.users.iter().map(|user| Address::User(*user));
                self.hub
                    .show(&signal, users.chain([Address::Room(room), Address::Conversation(room)]));
            }
            EphemeralSignal::Presence(user, presence) => {
                self.presences.receive(user, &presence);
                let signal = Arc::new(Signal::new(SignalContent::Presence(presence)));
                self.hub.show(&signal, [Address::Presence(user)]);
            }
            EphemeralSignal::Viewers(_) => {}
        }
    }

    /// Returns the users to whom an event of a room is published, or `None` if the store cannot be
    /// read.
    async fn audience(&mut self, event: &RoomEvent) -> Option<Arc<Audience>> {
        let version = event.room_then().map_or(0, |room| room.audience);
        self.audience_of(event.room, version).await
    }

    /// Returns the participants of a room, at least as recent as version `wanted`. `None` if the
    /// store cannot be read.
    async fn audience_of(&mut self, room: RoomId, wanted: i64) -> Option<Arc<Audience>> {
        if let Some(known) = self.audiences.get(&room).filter(|known| known.version >= wanted) {
            return Some(known.clone());
        }
        match self.store.audience(room).await {
            Ok(audience) => {
                let audience = Arc::new(audience);
                if self.audiences.len() >= limits::REALTIME_AUDIENCES_MAX {
                    self.audiences.clear();
                }
                self.audiences.insert(room, audience.clone());
                Some(audience)
            }
            Err(error) => {
                tracing::warn!(
                    room.id = room.0,
                    error = %chain(&error),
                    "failed to read the participants to whom events of a room are published"
                );
                None
            }
        }
    }
}
