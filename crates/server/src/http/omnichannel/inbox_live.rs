//! What those who work in an app see of its conversations, live (D-0114).
//!
//! - `GET /api/v2/inbox/live`
//!
//! Rows of conversations go to everybody who may see them, and not more often than they can be
//! read; messages only to pages that opened the conversation. What comes is a hint: whoever
//! connects reads the lists first, and again after every gap.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use confab_domain::app::App;
use confab_domain::ids::RoomId;
use confab_domain::limits;
use confab_domain::messages::room_event::Doing;
use confab_domain::people::user::User;
use confab_domain::service::customer_room::AgentRecord;
use confab_store::StoreError;
use confab_wire::realtime::inbox::{self as frames, InboxFrame, InboxRequest};
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, interval, sleep_until};

use crate::clock;
use crate::connections::Ticket;
use crate::failures::chain;
use crate::http::callers::AgentCaller;
use crate::http::live::{self, LiveFrame, LiveSource, NextFrames};
use crate::http::problem::Problem;
use crate::queries::QueryError;
use crate::queries::customer_rooms::seen_room;
use crate::queries::inbox::Beside;
use crate::realtime::hub::{Address, CutOffReason, HeardSignal, Listener, Passing};
use crate::realtime::signal::Shown;
use crate::services::Services;

/// The same row is not shown more often than this.
const ROW_EVERY: Duration = Duration::from_millis(250);

/// How often it is looked whether whoever is connected is still signed in.
const LOOK_EVERY: Duration = Duration::from_secs(10);

#[utoipa::path(
    get,
    path = "/api/v2/inbox/live",
    operation_id = "inbox_live",
    tag = "Dashboard",
    summary = "See conversations change, as WebSocket or as server-sent events",
    responses(
        (status = 200, description = "Server-sent events", body = InboxFrame<'static>,
            content_type = "text/event-stream"),
        (status = 101, description = "A WebSocket with the same frames"),
    ),
)]
pub(crate) async fn handler(
    State(services): State<Services>,
    caller: AgentCaller,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    let speaker = services.store().user_by_key(caller.app.id, caller.agent.speaker).await?;
    let speaker = Arc::new(speaker.ok_or_else(Problem::wrong_token)?);
    let ticket = services.connections().admit_user(&speaker).ok_or_else(live::too_many)?;
    services.hub().begun().await;
    let (listener, heard) = services.hub().connect(false);
    listener.listen(Address::Inbox(caller.app.id));
    listener.listen(Address::Agent(caller.agent.profile.user.id));
    let AgentCaller { app, agent, token_hash, .. } = caller;
    let source = InboxSource {
        services,
        app,
        agent,
        token_hash,
        speaker,
        listener,
        heard,
        rows: Rows::default(),
        opened: HashSet::new(),
        waiting: Vec::new(),
        must_look: true,
        look: interval(LOOK_EVERY),
        _ticket: ticket,
    };
    Ok(live::answer(upgrade, source))
}

/// The inbox of one page.
struct InboxSource {
    services: Services,
    app: Arc<App>,
    agent: AgentRecord,
    token_hash: String,
    /// The user that speaks for the agent.
    speaker: Arc<User>,
    listener: Listener,
    heard: mpsc::Receiver<HeardSignal>,
    rows: Rows,
    opened: HashSet<RoomId>,
    /// What was heard of open conversations and is not shown yet.
    waiting: Vec<(RoomId, LiveFrame)>,
    /// The agent may not be who they were.
    must_look: bool,
    look: Interval,
    _ticket: Ticket,
}

impl LiveSource for InboxSource {
    fn hello(&self) -> (String, Option<String>) {
        let agent = self.agent.profile.user.id;
        let version = env!("CARGO_PKG_VERSION");
        (frames::hello(agent, version, limits::REALTIME_HEARTBEAT_MS), None)
    }

    async fn next(&mut self) -> Result<NextFrames, StoreError> {
        loop {
            if self.must_look {
                if !self.is_signed_in().await? {
                    return Ok(NextFrames::Ended(CutOffReason::AccessEnded));
                }
                self.must_look = false;
            }
            if let Some(room) = self.rows.unchecked_of(&self.opened) {
                self.check(room).await?;
                continue;
            }
            if !self.waiting.is_empty() {
                return Ok(NextFrames::Frames(self.take_waiting()));
            }
            let due = self.rows.next_due();
            let mut heard = Vec::new();
            tokio::select! {
                biased;
                count = self.heard.recv_many(&mut heard, limits::REALTIME_FRAMES_PER_WRITE) => {
                    if count == 0 {
                        let ending = self.listener.ending().unwrap_or(CutOffReason::Stopping);
                        return Ok(NextFrames::Ended(ending));
                    }
                    let said = heard.into_iter().filter_map(|it| self.hear(it));
                    let said: Vec<_> = said.collect();
                    self.waiting.extend(said);
                }
                () = sleep_until(due.map_or_else(far_off, |(_, at)| at)), if due.is_some() => {
                    let Some((room, _)) = due else { continue };
                    let Some(frame) = self.row(room).await? else { continue };
                    return Ok(NextFrames::Frames(vec![LiveFrame::Own(frame)]));
                }
                _ = self.look.tick() => self.must_look = true,
            }
        }
    }

    async fn take(&mut self, text: &str) -> Option<String> {
        let request = match InboxRequest::read(text) {
            Ok(request) => request,
            Err(why) => return Some(frames::error(why)),
        };
        match self.done(request).await {
            Ok(answer) => answer,
            Err(QueryError::Refused(refusal)) => Some(frames::error(&refusal.to_string())),
            Err(QueryError::Failed(error)) => {
                tracing::warn!("a frame cannot be taken: {}", chain(&error));
                Some(frames::error("Try again later."))
            }
        }
    }
}

impl InboxSource {
    /// What is shown at once; rows wait until they may be shown again.
    fn hear(&mut self, HeardSignal { at, signal }: HeardSignal) -> Option<(RoomId, LiveFrame)> {
        match (&signal.shown, at) {
            (Shown::InboxRow(room), _) => self.rows.note(*room),
            (Shown::AgentChanged, _) => self.must_look = true,
            (_, Address::Conversation(room)) => return Some((room, LiveFrame::Shared(signal))),
            _ => {}
        }
        None
    }

    /// A conversation that changed may not be for whoever looks any more: this is found out before
    /// anything of it is shown.
    async fn check(&mut self, room: RoomId) -> Result<(), StoreError> {
        match seen_room(&self.services, &self.app, Some(&self.agent), room).await {
            Ok(_) => {}
            Err(QueryError::Refused(_)) => self.close(room),
            Err(QueryError::Failed(error)) => return Err(error),
        }
        self.rows.checked(room);
        Ok(())
    }

    fn take_waiting(&mut self) -> Vec<LiveFrame> {
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        waiting.filter(|(room, _)| self.opened.contains(room)).map(|(_, frame)| frame).collect()
    }

    /// A row as whoever looks may see it now; nothing if it never was shown to them.
    async fn row(&mut self, room: RoomId) -> Result<Option<String>, StoreError> {
        let (app, agent) = (&self.app, Some(&self.agent));
        let found = match seen_room(&self.services, app, agent, room).await {
            Ok(found) => Some(found),
            Err(QueryError::Refused(_)) => None,
            Err(QueryError::Failed(error)) => return Err(error),
        };
        let is_there = found.is_some();
        let frame = match found {
            Some((found, serving)) => {
                let channels = self.services.store().channels(app.id).await?;
                let beside =
                    Beside::read(&self.services, app.id, &found, serving, &channels).await?;
                Some(frames::room(&beside.view(&found, clock::now())))
            }
            None => {
                self.close(room);
                self.may_have_seen(room).await?.then(|| frames::room_gone(room))
            }
        };
        self.rows.shown(room, is_there);
        Ok(frame)
    }

    async fn done(&mut self, request: InboxRequest) -> Result<Option<String>, QueryError> {
        match request {
            InboxRequest::Ping => return Ok(Some(frames::pong())),
            InboxRequest::Close { room } => self.close(room),
            InboxRequest::Open { room } => {
                seen_room(&self.services, &self.app, Some(&self.agent), room).await?;
                if self.opened.len() >= limits::INBOX_OPEN_ROOMS_MAX && !self.opened.contains(&room)
                {
                    return Ok(Some(frames::error("Too many conversations are open.")));
                }
                self.opened.insert(room);
                self.rows.shown(room, true);
                self.listener.listen(Address::Conversation(room));
                return Ok(Some(frames::opened(room)));
            }
            InboxRequest::Typing { room, is_typing } => {
                let (_, serving) =
                    seen_room(&self.services, &self.app, Some(&self.agent), room).await?;
                if serving.iter().any(|it| it.user.id == self.agent.profile.user.id) {
                    let by = self.speaker.clone();
                    self.services.hub().pass(Passing::Doing(Doing::Typing { room, by, is_typing }));
                }
            }
        }
        Ok(None)
    }

    /// Whether a room that may not be seen now may stand in the page's lists: it was shown, or it
    /// waited in a channel that the agent serves.
    async fn may_have_seen(&self, room: RoomId) -> Result<bool, StoreError> {
        if self.rows.is_shown(room) || self.rows.gone.contains(&room) {
            return Ok(self.rows.is_shown(room));
        }
        let found = self.services.store().customer_room(self.app.id, room).await?;
        Ok(found.is_some_and(|it| self.agent.serves_channel(it.customer_room.channel)))
    }

    fn close(&mut self, room: RoomId) {
        self.opened.remove(&room);
        self.listener.ignore(Address::Conversation(room));
    }

    /// Whether the sign-in is still good; with what its owner may see now.
    async fn is_signed_in(&mut self) -> Result<bool, StoreError> {
        match self.services.store().signed_in(&self.token_hash, clock::now()).await? {
            Some(agent) => {
                self.agent = agent;
                Ok(true)
            }
            None => Ok(false),
        }
    }
}

/// Rows that changed and wait to be shown, and those that were.
#[derive(Default)]
struct Rows {
    due: HashMap<RoomId, Instant>,
    /// Those of which it is not known whether they may still be seen.
    unchecked: HashSet<RoomId>,
    shown_at: HashMap<RoomId, Instant>,
    /// Those that were not for the agent when they last changed: it is told once.
    gone: HashSet<RoomId>,
}

impl Rows {
    fn note(&mut self, room: RoomId) {
        let again = self.shown_at.get(&room).map(|at| *at + ROW_EVERY);
        let now = Instant::now();
        self.due.entry(room).or_insert(again.unwrap_or(now).max(now));
        self.unchecked.insert(room);
    }

    fn unchecked_of(&self, opened: &HashSet<RoomId>) -> Option<RoomId> {
        opened.iter().find(|room| self.unchecked.contains(room)).copied()
    }

    fn checked(&mut self, room: RoomId) {
        self.unchecked.remove(&room);
    }

    fn next_due(&self) -> Option<(RoomId, Instant)> {
        self.due.iter().map(|(room, at)| (*room, *at)).min_by_key(|(_, at)| *at)
    }

    fn is_shown(&self, room: RoomId) -> bool {
        self.shown_at.contains_key(&room)
    }

    fn shown(&mut self, room: RoomId, is_there: bool) {
        self.due.remove(&room);
        self.unchecked.remove(&room);
        if is_there {
            if self.shown_at.len() >= limits::INBOX_ROWS_REMEMBERED {
                self.shown_at.clear();
            }
            self.shown_at.insert(room, Instant::now());
            self.gone.remove(&room);
        } else {
            if self.gone.len() >= limits::INBOX_ROWS_REMEMBERED {
                self.gone.clear();
            }
            self.shown_at.remove(&room);
            self.gone.insert(room);
        }
    }
}

fn far_off() -> Instant {
    Instant::now() + LOOK_EVERY
}
