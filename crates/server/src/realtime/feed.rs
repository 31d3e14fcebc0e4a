//! From what is on disk to what is shown: one task, in order.
//!
//! The store says what each commit of this node means; it is shown here in that order, and the
//! other nodes are given a hint. A hint of another node says where to look; a gap in the hints is
//! healed from the store. Nothing waits for this task: if it falls behind, those who are connected
//! are cut off and look again.

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
use confab_domain::support::note::NoteEvent;
use confab_domain::support::trail::TrailEntry;
use confab_store::{Audience, NewestEvents, RoomEventPage, Store, StoreError};
use confab_wire::realtime::inbox as frames;
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use super::cursor::Cursor;
use super::hints::{self, Hint};
use super::hub::{Address, CutOffReason, EphemeralSignal, Hub};
use super::inbox_changes;
use super::lag::LOOK_EVERY;
use super::presence::Presences;
use super::room_move::{Moves, RoomMove};
use super::signal::{Shown, Signal};
use super::viewers::{TELL_AGAIN_EVERY, Viewers};
use crate::bus::Bus;
use crate::bus::receiving::{HintArrival, ReceivedHint};
use crate::failures::chain;
use crate::queries::trail;

/// How often the store is asked where to begin, until it says so.
const BEGIN_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Commits that are shown before anything else is looked at.
const COMMITS_TOGETHER_MAX: usize = 32;
/// Signals that are handed over together.
const RUN_SIGNALS_MAX: usize = 32;

/// What was missed, and by whom of those who are connected.
type MissedEvents = BTreeMap<EventId, (RoomEvent, Vec<UserKey>)>;

/// What commits mean, and when it was queued.
type QueuedNews = (Instant, Vec<(AppId, CommitEvent)>);

/// How far a node has written, as the feed saw it.
struct NodeProgress {
    /// Up to here its events were shown, or are announced by the bus.
    level: EventId,
    /// It wrote more, and the bus delivers nothing from it.
    is_unheard: bool,
}

/// Hears what the store committed and passes it on without waiting.
struct FeedListener {
    queue: mpsc::Sender<QueuedNews>,
    has_missed: Arc<AtomicBool>,
}

impl CommitListener for FeedListener {
    fn hear(&self, news: Vec<(AppId, CommitEvent)>) {
        if self.queue.try_send((Instant::now(), news)).is_err() {
            self.has_missed.store(true, Ordering::Relaxed);
        }
    }
}

/// Signals of one room that follow each other: handed over together, so that each who hears them
/// is woken once.
struct SignalRun {
    room: RoomId,
    audience: Arc<Audience>,
    is_doing: bool,
    is_channel: bool,
    signals: Vec<Arc<Signal>>,
}

impl SignalRun {
    /// Whether something else is shown to the same people.
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

/// Where something of a room is heard beside those who are in it.
fn places(room: RoomId, is_doing: bool, is_channel: bool) -> impl Iterator<Item = Address> {
    let in_room = is_doing.then_some(Address::Room(room));
    let channel = is_channel.then_some(Address::Channel(room));
    in_room.into_iter().chain(channel).chain([Address::Conversation(room)])
}

/// Shows what happened.
pub(crate) struct Feed {
    store: Store,
    hub: Hub,
    bus: Bus,
    heard: mpsc::Receiver<HintArrival>,
    presences: Arc<Presences>,
    viewers: Viewers,
    news: mpsc::Receiver<QueuedNews>,
    passing: mpsc::Receiver<EphemeralSignal>,
    has_missed: Arc<AtomicBool>,
    audiences: HashMap<RoomId, Arc<Audience>>,
    /// What is to be shown next, to the same people.
    run: Option<SignalRun>,
    /// What was shown by healing lately: this node's own news of it may still be on their way.
    healed: HashSet<EventId>,
    /// How far each node has written, by its number.
    nodes: HashMap<i64, NodeProgress>,
}

impl Feed {
    /// Begins to hear what the store and the other nodes say.
    pub(crate) fn new(
        store: Store,
        hub: Hub,
        presences: Arc<Presences>,
        viewers: Viewers,
        passing: mpsc::Receiver<EphemeralSignal>,
        (bus, heard): (Bus, mpsc::Receiver<HintArrival>),
    ) -> Self {
        let (queue, news) = mpsc::channel(limits::REALTIME_NEWS_MAX);
        let has_missed = Arc::new(AtomicBool::new(false));
        store.set_commit_listener(Arc::new(FeedListener { queue, has_missed: has_missed.clone() }));
        let (audiences, healed, nodes) = (HashMap::new(), HashSet::new(), HashMap::new());
        Self {
            store,
            hub,
            presences,
            viewers,
            bus,
            heard,
            news,
            passing,
            has_missed,
            audiences,
            run: None,
            healed,
            nodes,
        }
    }

    /// Shows until it is stopped. If a panic stopped it and it runs again, whoever was connected is
    /// cut off and looks again: it is not known what they were not shown.
    pub(crate) async fn run(&mut self) {
        self.begin().await;
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut tell_again = tokio::time::interval(TELL_AGAIN_EVERY);
        tell_again.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                // First, so that it is not put off while there is much to show.
                _ = look.tick(), if !self.bus.is_alone() => self.look().await,
                Some((since, news)) = self.news.recv() => {
                    self.hub.lag.begin(since);
                    self.take_news(news).await;
                    // Commits that wait already are shown with it.
                    for _ in 0..COMMITS_TOGETHER_MAX {
                        let Ok((since, more)) = self.news.try_recv() else { break };
                        self.hub.lag.begin(since);
                        self.take_news(more).await;
                    }
                    self.show_run();
                }
                Some((since, heard)) = self.heard.recv() => {
                    self.hub.lag.begin(since);
                    match heard {
                        ReceivedHint::Told { bytes } => self.take_hints(&bytes).await,
                        ReceivedHint::Gap => self.take_gap().await,
                    }
                }
                Some(passing) = self.passing.recv() => {
                    self.hub.lag.begin(Instant::now());
                    self.tell(Hint::of_passing(&passing).as_slice());
                    self.show_passing(passing).await;
                }
                _ = tell_again.tick(), if !self.bus.is_alone() => self.viewers.tell_again(),
                else => return,
            }
            self.hub.lag.end();
            if self.has_missed.swap(false, Ordering::Relaxed) {
                tracing::warn!("realtime fell behind: those who are connected look again");
                self.hub.end_all(CutOffReason::Lagged);
            }
        }
    }

    /// Finds out where what happens now begins; without that, everything would be new.
    async fn begin(&mut self) {
        self.hub.lag.begin(Instant::now());
        if self.hub.begin_anew() {
            // Some of what this node did may not have been told.
            self.bus.tell_to_look();
        }
        self.audiences.clear();
        self.healed.clear();
        self.run = None;
        // Whatever these say is on disk by now.
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
                    tracing::warn!("realtime does not know where to begin: {}", chain(&error));
                }
            }
        }
    }

    /// How far each node has written, and the clock that they share.
    async fn newest(&self) -> Result<NewestEvents, StoreError> {
        let begun = Instant::now();
        let stored = self.store.newest_events().await?;
        // An answer that took longer does not tell the time.
        if let Some(now) = stored.now.filter(|_| begun.elapsed() < LOOK_EVERY) {
            self.hub.set_shared_clock(now);
        }
        Ok(stored)
    }

    /// Compares what was shown with what the store has, and shows what the bus does not announce.
    async fn look(&mut self) {
        // Read before the store is: whatever was shown is committed.
        let seen = self.hub.cursor();
        let stored = match self.newest().await {
            Ok(stored) => stored,
            Err(error) => {
                tracing::warn!(error = %chain(&error), "failed to compare realtime with the store");
                return;
            }
        };
        let is_missing = self.note_progress(&stored);
        let is_level = match self.begin_anew_if_ahead(&seen, &stored) {
            true => true,
            false if is_missing || self.bus.problem().is_some() => self.heal().await,
            false => true,
        };
        if is_level {
            let unheard = self.nodes.values().filter(|it| it.is_unheard).count();
            self.hub.lag.level(unheard);
        }
    }

    /// Notes how far each node has written. Gives whether one that the bus delivers nothing from
    /// wrote twice in a row: it runs another version, or has another key file or `nats_url`.
    fn note_progress(&mut self, stored: &NewestEvents) -> bool {
        let own = self.store.node();
        let mut is_missing = false;
        for (node, newest) in &stored.of_nodes {
            let unseen = NodeProgress { level: EventId(0), is_unheard: false };
            let progress = self.nodes.entry(*node).or_insert(unseen);
            let is_ahead = *newest > progress.level;
            let is_heard = Some(*node) == own || self.bus.hears(*node);
            // One that has just started may not have been heard yet.
            let is_known = std::mem::replace(&mut progress.is_unheard, is_ahead && !is_heard);
            if is_heard || (is_ahead && is_known) {
                progress.level = *newest;
            }
            is_missing |= progress.is_unheard && is_known;
        }
        is_missing
    }

    /// Begins anew with what the store has if the cursor claims more: clients would be shown
    /// nothing until the nodes have written that much.
    fn begin_anew_if_ahead(&mut self, seen: &Cursor, stored: &NewestEvents) -> bool {
        let horizon = self.hub.horizon();
        if !seen.is_ahead_of(stored, horizon) {
            return false;
        }
        tracing::warn!("realtime cursor was ahead of the store; clients resync");
        metrics::counter!("confab_realtime_cursor_resets_total").increment(1);
        self.audiences.clear();
        self.healed.clear();
        self.hub.begin_at(Cursor::now(stored.ids(), horizon));
        true
    }

    fn tell(&self, hints: &[Hint]) {
        if !self.bus.is_alone() {
            hints::frames(hints).into_iter().for_each(|frame| self.bus.tell(frame));
        }
    }

    async fn take_news(&mut self, news: Vec<(AppId, CommitEvent)>) {
        let changed = inbox_changes::changed(&news);
        let staff = inbox_changes::staff(&news, &changed);
        if !self.bus.is_alone() {
            let of_news = news.iter().filter_map(|(app, it)| Hint::of_news(*app, it));
            let rows = changed.iter().copied().map(Hint::of_inbox);
            let staff = staff.iter().copied().map(Hint::of_staff);
            self.tell(&rows.chain(of_news).chain(staff).collect::<Vec<_>>());
        }
        // Before what was said: it may not be for those any more who had the row until now.
        if !changed.is_empty() || !staff.is_empty() {
            self.show_run();
        }
        changed.into_iter().for_each(|(app, room)| self.show_row(app, room));
        staff.into_iter().for_each(|(app, agent)| self.show_staff(app, agent));
        let moves = Moves::among(&news, |(_, news)| RoomMove::of_news(news));
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
                        tracing::warn!("a note cannot be read: {}", chain(&error));
                        self.hub.end_inboxes(CutOffReason::Lagged);
                    }
                }
                CommitEvent::ChannelState { room, message } => {
                    if let Err(error) = self.show_state(room, message).await {
                        tracing::warn!("a state cannot be read: {}", chain(&error));
                        self.hub.end_inboxes(CutOffReason::Lagged);
                    }
                }
                CommitEvent::CustomerRoom { .. } => {}
            }
        }
    }

    fn show_agent(&self, agent: AgentId) {
        self.hub.show(&Arc::new(Signal::new(Shown::AgentChanged)), [Address::Agent(agent)]);
    }

    /// Only they see what they have seen.
    fn show_seen(&self, agent: AgentId, room: RoomId) {
        self.hub.show(&Arc::new(Signal::new(Shown::InboxRow(room))), [Address::Agent(agent)]);
    }

    fn show_tags(&self, app: AppId) {
        self.hub.show(&Arc::new(Signal::new(Shown::Tags)), [Address::Inbox(app)]);
    }

    fn show_staff(&self, app: AppId, agent: AgentId) {
        self.hub.show(&Arc::new(Signal::new(Shown::StaffRow(agent))), [Address::Inbox(app)]);
    }

    /// Shows what happened to a note to those who look on. What it says is read anew, so that it
    /// is the same on every node; one that is gone meanwhile has its own news.
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
        self.hub.show(&Arc::new(Signal::new(Shown::Note(frame))), [Address::Conversation(room)]);
        Ok(())
    }

    /// Shows those who look on how far a message is on its way to the customer, as the store has
    /// it: what was written may have been no news.
    async fn show_state(&self, room: RoomId, message: MessageId) -> Result<(), StoreError> {
        if !self.hub.hears(Address::Conversation(room)) {
            return Ok(());
        }
        let parts = self.store.message_states(room, (message, message)).await?;
        let Some(frame) = frames::channel_status(room, message, &parts) else { return Ok(()) };
        let signal = Arc::new(Signal::new(Shown::ChannelState(frame)));
        self.hub.show(&signal, [Address::Conversation(room)]);
        Ok(())
    }

    fn show_row(&self, app: AppId, room: RoomId) {
        self.hub.show(&Arc::new(Signal::new(Shown::InboxRow(room))), [Address::Inbox(app)]);
    }

    fn show_trail(&self, entry: TrailEntry) {
        let room = entry.room;
        let signal = Arc::new(Signal::new(Shown::Trail(entry)));
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
                // It is as if the hint was lost.
                tracing::warn!("what another node did cannot be read: {}", chain(&error));
                self.heal().await;
            }
        }
    }

    /// Heals. What waits behind the gap comes after that; other gaps among it are healed with this
    /// one, however fast they come.
    async fn take_gap(&mut self) {
        let mut behind = Vec::new();
        while let Ok((_, heard)) = self.heard.try_recv() {
            if let ReceivedHint::Told { bytes } = heard {
                behind.push(bytes);
            }
        }
        self.heal().await;
        for bytes in behind {
            self.take_hints(&bytes).await;
        }
    }

    /// Takes the hint at this place of its frame.
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
                let is_heard = leaving.iter().any(is_left_by);
                let event = match is_heard || self.is_heard(room, audience).await {
                    true => self.store.event(room, id).await?,
                    false => None,
                };
                match event {
                    Some(event) => self.show(event, leaving).await,
                    // Nobody here wants to know, or it is gone already. An id of the future
                    // counts only if the store has it.
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
                if let Some(by) = self.heard_user(app, by).await? {
                    let doing = EphemeralEvent::Typing { room: RoomId(room), by, is_typing: on };
                    self.show_passing(EphemeralSignal::EphemeralEvent(doing)).await;
                }
            }
            Hint::Custom { app, room, by, data } => {
                if let Some(by) = self.heard_user(app, by).await? {
                    let data = hints::data(&data);
                    let doing = EphemeralEvent::Custom { room: RoomId(room), by, data };
                    self.show_passing(EphemeralSignal::EphemeralEvent(doing)).await;
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
            Hint::Viewers(viewers) => self.viewers.hear(viewers),
        }
        Ok(())
    }

    async fn heard_user(&self, app: i64, by: i64) -> Result<Option<Arc<User>>, StoreError> {
        if self.hub.is_empty() { Ok(None) } else { self.user(app, by).await }
    }

    async fn user(&self, app: i64, by: i64) -> Result<Option<Arc<User>>, StoreError> {
        Ok(self.store.user_by_key(AppId(app), UserKey(by)).await?.map(Arc::new))
    }

    /// Whether anybody here would be shown what happens in the room.
    async fn is_heard(&mut self, room: RoomId, audience: i64) -> bool {
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

    /// Hints may be missing: whoever is connected here is shown what the store has and they have
    /// not seen, and whoever's token ended in the meantime is cut off. False if the store cannot be
    /// read.
    async fn heal(&mut self) -> bool {
        self.audiences.clear();
        // Of rows nothing is kept that could be shown again.
        self.hub.end_inboxes(CutOffReason::Lagged);
        let healed = self.try_heal().await;
        if let Err(error) = &healed {
            tracing::warn!("what was missed cannot be read: {}", chain(error));
            self.hub.end_all(CutOffReason::Lagged);
        }
        healed.is_ok()
    }

    async fn try_heal(&mut self) -> Result<(), StoreError> {
        let seen = self.hub.cursor();
        // What is missed is read piece by piece: of what happens meanwhile some would be shown and
        // the rest taken for seen. It has its own hints.
        let stored = self.newest().await?;
        if self.begin_anew_if_ahead(&seen, &stored) {
            return Ok(());
        }
        let until = Cursor::now(stored.ids(), self.hub.horizon());
        let Some(missed) = self.missed(&seen, &until).await? else {
            // Everybody looks again, from where they are.
            self.hub.begin_at(until);
            return Ok(());
        };
        // Of this node's own events the news may still be on their way.
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

    /// What happened between the two and concerns somebody who is connected here, with who they
    /// are; nothing if that is too much, or nobody is.
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

    /// Shows an event to those who are in its room, and to those who were there when it happened
    /// and left since.
    async fn show(&mut self, event: RoomEvent, also: Vec<UserKey>) {
        self.line_up(event, also).await;
        self.show_run();
    }

    /// The same, together with what follows it until [`Self::show_run`].
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
        // Only this task moves it on: it is still that of the event.
        let cursor = self.hub.cursor().to_string();
        let signal = Arc::new(Signal::new(Shown::Event { event, cursor }));
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

    /// Shows what was lined up.
    fn show_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        let SignalRun { room, audience, is_doing, is_channel, signals } = run;
        let users = audience.users.iter().map(|user| Address::User(*user));
        self.hub.show_all(&signals, is_doing, users.chain(places(room, is_doing, is_channel)));
    }

    async fn show_passing(&mut self, passing: EphemeralSignal) {
        match passing {
            EphemeralSignal::EphemeralEvent(doing) => {
                let (EphemeralEvent::Typing { room, .. } | EphemeralEvent::Custom { room, .. }) =
                    &doing;
                let room = *room;
                // Who is not told that somebody types misses nothing.
                let Some(audience) = self.audience_of(room, 0).await else { return };
                let signal = Arc::new(Signal::new(Shown::EphemeralEvent(doing)));
                let users = audience.users.iter().map(|user| Address::User(*user));
                self.hub
                    .show(&signal, users.chain([Address::Room(room), Address::Conversation(room)]));
            }
            EphemeralSignal::Presence(user, presence) => {
                self.presences.hear(user, &presence);
                let signal = Arc::new(Signal::new(Shown::Presence(presence)));
                self.hub.show(&signal, [Address::Presence(user)]);
            }
            EphemeralSignal::Viewers(_) => {}
        }
    }

    /// Who is in the event's room; nothing if the store cannot say it now.
    async fn audience(&mut self, event: &RoomEvent) -> Option<Arc<Audience>> {
        let version = event.room_then().map_or(0, |room| room.audience);
        self.audience_of(event.room, version).await
    }

    /// Who is in the room, at least as new as this version of it.
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
                tracing::warn!("a room's audience is not known: {}", chain(&error));
                None
            }
        }
    }
}
