//! A queue for reads that bounds how many run at once and shares them between apps and callers.
//!
//! The next permit goes to the app that was served least recently, within the app to the least
//! recently served kind of caller, and within the kind to the least recently served caller. A
//! caller that sends many reads therefore delays its own reads first, and never those of another
//! app for longer than one read takes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use confab_domain::ids::{AgentId, AppId, UserKey};
use confab_domain::limits;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The caller that a read runs for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reader {
    /// The caller's app.
    pub app: AppId,
    /// The caller within the app.
    pub caller: ReadCaller,
}

/// A caller of one app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReadCaller {
    /// The app's own servers.
    App,
    /// An agent, a supervisor or an admin.
    Agent(AgentId),
    /// A user with their token.
    User(UserKey),
    /// A client without credentials.
    Stranger,
}

impl ReadCaller {
    /// Whether the caller has limits of its own within those of the app. Clients without
    /// credentials have none, because they all count as one caller; so do the app's servers.
    fn has_share(self) -> bool {
        matches!(self, Self::Agent(_) | Self::User(_))
    }
}

/// Maximum numbers of running and waiting reads: in all, per app, and per caller.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueueBounds {
    pub(crate) running: usize,
    pub(crate) running_of_app: usize,
    pub(crate) running_of_caller: usize,
    pub(crate) waiting_of_app: usize,
    pub(crate) waiting_of_caller: usize,
}

/// The reason why a read got no permit.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many reads of this app or caller are waiting")]
pub(crate) struct QueueFull;

/// A queue that grants permits to reads. Clones are cheap and share the queue.
#[derive(Clone)]
pub(crate) struct FairQueue(Arc<FairQueueInner>);

struct FairQueueInner {
    bounds: QueueBounds,
    state: Mutex<QueueState>,
}

#[derive(Default)]
struct QueueState {
    running: usize,
    /// Number of permits granted so far.
    granted: u64,
    /// Number of reads that had to wait so far.
    arrived: u64,
    usage: HashMap<Group, Usage>,
    waiting: Vec<WaitingRead>,
}

/// Reads of one app, of one kind of caller in it, or of one caller. `None` stands for the server
/// itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Group {
    App(Option<AppId>),
    Kind(Option<AppId>, u8),
    Caller(Option<Reader>),
}

#[derive(Default)]
struct Usage {
    running: usize,
    waiting: usize,
    /// Number of the group's newest permit; 0 if it got none.
    last_granted: u64,
}

struct WaitingRead {
    number: u64,
    reader: Option<Reader>,
    granted: oneshot::Sender<Permit>,
}

/// The right to run one read; dropping it lets the next read run.
pub(crate) struct Permit {
    queue: FairQueue,
    reader: Option<Reader>,
}

/// Removes a read from the queue when its caller no longer waits.
struct Leaving<'a> {
    queue: &'a FairQueue,
    number: u64,
}

impl FairQueue {
    pub(crate) fn new(bounds: QueueBounds) -> Self {
        Self(Arc::new(FairQueueInner { bounds, state: Mutex::default() }))
    }

    /// Waits for a permit. Fails if too many reads of the app or the caller already wait, or if no
    /// permit is granted within `limits::READ_WAIT_MAX_MS`.
    pub(crate) async fn enter(&self, reader: Option<Reader>) -> Result<Permit, QueueFull> {
        let (number, granted) = match self.join(reader)? {
            Joined::Running(permit) => return Ok(permit),
            Joined::Waiting { number, granted } => (number, granted),
        };
        let _leaving = Leaving { queue: self, number };
        let wait_max = Duration::from_millis(limits::READ_WAIT_MAX_MS);
        timeout(wait_max, granted).await.ok().and_then(Result::ok).ok_or(QueueFull)
    }

    fn join(&self, reader: Option<Reader>) -> Result<Joined, QueueFull> {
        let bounds = &self.0.bounds;
        let mut state = self.0.state.lock();
        // A read that may run never waits, so this one overtakes none.
        if state.may_run(bounds, reader) {
            state.start(reader);
            return Ok(Joined::Running(Permit { queue: self.clone(), reader }));
        }
        let [of_app, _, of_caller] = groups(reader).map(|group| state.waiting_in(group));
        let has_share = reader.is_some_and(|reader| reader.caller.has_share());
        if of_app >= bounds.waiting_of_app || has_share && of_caller >= bounds.waiting_of_caller {
            return Err(QueueFull);
        }
        let (sender, granted) = oneshot::channel();
        let number = state.wait(reader, sender);
        Ok(Joined::Waiting { number, granted })
    }

    /// Grants permits until no waiting read may run.
    fn grant(&self, mut state: parking_lot::MutexGuard<'_, QueueState>) {
        let mut next = Vec::new();
        while let Some(read) = state.take_next(&self.0.bounds) {
            state.start(read.reader);
            next.push(read);
        }
        drop(state);
        for WaitingRead { reader, granted, .. } in next {
            // A caller that is gone drops the permit, which is granted to another read.
            let _ = granted.send(Permit { queue: self.clone(), reader });
        }
    }
}

enum Joined {
    Running(Permit),
    Waiting { number: u64, granted: oneshot::Receiver<Permit> },
}

impl QueueState {
    fn may_run(&self, bounds: &QueueBounds, reader: Option<Reader>) -> bool {
        let running = |group| self.usage.get(&group).map_or(0, |usage| usage.running);
        let [app, _, caller] = groups(reader);
        let has_share = reader.is_some_and(|reader| reader.caller.has_share());
        self.running < bounds.running
            && running(app) < bounds.running_of_app
            && (!has_share || running(caller) < bounds.running_of_caller)
    }

    fn waiting_in(&self, group: Group) -> usize {
        self.usage.get(&group).map_or(0, |usage| usage.waiting)
    }

    fn start(&mut self, reader: Option<Reader>) {
        self.running += 1;
        self.granted += 1;
        for group in groups(reader) {
            let usage = self.usage.entry(group).or_default();
            usage.running += 1;
            usage.last_granted = self.granted;
        }
    }

    fn finish(&mut self, reader: Option<Reader>) {
        self.running -= 1;
        self.change(reader, |usage| usage.running -= 1);
    }

    fn wait(&mut self, reader: Option<Reader>, granted: oneshot::Sender<Permit>) -> u64 {
        self.arrived += 1;
        for group in groups(reader) {
            self.usage.entry(group).or_default().waiting += 1;
        }
        self.waiting.push(WaitingRead { number: self.arrived, reader, granted });
        self.arrived
    }

    /// Removes and returns the waiting read that gets the next permit.
    fn take_next(&mut self, bounds: &QueueBounds) -> Option<WaitingRead> {
        let last_granted = |group| self.usage.get(&group).map_or(0, |usage| usage.last_granted);
        let able = self.waiting.iter().enumerate();
        let able = able.filter(|(_, read)| self.may_run(bounds, read.reader));
        let (next, _) =
            able.min_by_key(|(_, read)| (groups(read.reader).map(last_granted), read.number))?;
        Some(self.remove(next))
    }

    fn remove(&mut self, at: usize) -> WaitingRead {
        let read = self.waiting.swap_remove(at);
        self.change(read.reader, |usage| usage.waiting -= 1);
        read
    }

    /// Changes the usage of a reader's groups, and removes groups that have no running or waiting
    /// reads.
    fn change(&mut self, reader: Option<Reader>, change: impl Fn(&mut Usage)) {
        for group in groups(reader) {
            let Some(usage) = self.usage.get_mut(&group) else { continue };
            change(usage);
            if usage.running == 0 && usage.waiting == 0 {
                self.usage.remove(&group);
            }
        }
    }
}

/// Returns the groups that a read belongs to, from the widest to the narrowest.
fn groups(reader: Option<Reader>) -> [Group; 3] {
    let app = reader.map(|reader| reader.app);
    let kind = match reader.map(|reader| reader.caller) {
        None | Some(ReadCaller::App) => 0,
        Some(ReadCaller::Agent(_)) => 1,
        Some(ReadCaller::User(_)) => 2,
        Some(ReadCaller::Stranger) => 3,
    };
    [Group::App(app), Group::Kind(app, kind), Group::Caller(reader)]
}

impl Drop for Permit {
    fn drop(&mut self) {
        let queue = self.queue.clone();
        let mut state = queue.0.state.lock();
        state.finish(self.reader);
        queue.grant(state);
    }
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.0.state.lock();
        if let Some(at) = state.waiting.iter().position(|read| read.number == self.number) {
            drop(state.remove(at));
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const BOUNDS: QueueBounds = QueueBounds {
        running: 4,
        running_of_app: 2,
        running_of_caller: 1,
        waiting_of_app: 5,
        waiting_of_caller: 2,
    };

    fn user(app: i64, key: i64) -> Option<Reader> {
        Some(Reader { app: AppId(app), caller: ReadCaller::User(UserKey(key)) })
    }

    fn agent(app: i64, id: i64) -> Option<Reader> {
        Some(Reader { app: AppId(app), caller: ReadCaller::Agent(AgentId(id)) })
    }

    fn server_of(app: i64) -> Option<Reader> {
        Some(Reader { app: AppId(app), caller: ReadCaller::App })
    }

    type Entering<'a> = std::pin::Pin<Box<dyn Future<Output = Result<Permit, QueueFull>> + 'a>>;

    /// A read that waits in the queue.
    fn waiting(queue: &FairQueue, reader: Option<Reader>) -> Entering<'_> {
        let mut entering: Entering<'_> = Box::pin(queue.enter(reader));
        assert!(entering.as_mut().now_or_never().is_none(), "{reader:?} must wait");
        entering
    }

    fn running(queue: &FairQueue, reader: Option<Reader>) -> Permit {
        queue.enter(reader).now_or_never().expect("runs at once").expect("is permitted")
    }

    fn granted(entering: &mut Entering<'_>) -> Option<Permit> {
        entering.as_mut().now_or_never().map(|entered| entered.expect("is permitted"))
    }

    #[tokio::test]
    async fn callers_and_apps_are_limited_to_their_shares() {
        let queue = FairQueue::new(BOUNDS);
        let first = running(&queue, user(1, 1));
        let mut second = waiting(&queue, user(1, 1));
        let other = running(&queue, user(1, 2));
        let mut third = waiting(&queue, user(1, 3));
        let others = [running(&queue, server_of(2)), running(&queue, server_of(2))];
        drop(first);
        assert!(granted(&mut second).is_none(), "the other caller comes first");
        let third = granted(&mut third).expect("the app has a permit left");
        drop(other);
        assert!(granted(&mut second).is_some(), "the caller's first read is over");
        drop((second, third, others));
        assert_eq!(queue.0.state.lock().running, 0);
        assert!(queue.0.state.lock().usage.is_empty(), "nothing is retained of callers");
    }

    #[tokio::test]
    async fn reads_above_the_queue_limits_are_rejected() {
        let queue = FairQueue::new(BOUNDS);
        let refused =
            |reader| queue.enter(reader).now_or_never().expect("the answer is immediate").err();
        let _running = running(&queue, user(1, 1));
        let _waiting = [waiting(&queue, user(1, 1)), waiting(&queue, user(1, 1))];
        assert_eq!(refused(user(1, 1)), Some(QueueFull), "limit per caller");
        let _other = running(&queue, server_of(1));
        let mut of_app: Vec<_> = (2..5).map(|key| waiting(&queue, user(1, key))).collect();
        assert_eq!(refused(agent(1, 9)), Some(QueueFull), "limit per app");
        running(&queue, agent(2, 9));
        of_app.pop();
        of_app.push(waiting(&queue, agent(1, 9)));
    }

    #[tokio::test]
    async fn permits_alternate_between_apps_then_caller_kinds_then_callers() {
        let bounds = QueueBounds { running: 1, waiting_of_app: 100, ..BOUNDS };
        let queue = FairQueue::new(bounds);
        let mut permit = Some(running(&queue, user(1, 1)));
        let readers = [
            user(1, 1),
            user(1, 1),
            user(1, 2),
            agent(1, 1),
            agent(1, 2),
            user(2, 3),
            server_of(2),
        ];
        let mut entering: Vec<_> =
            readers.iter().map(|reader| (reader, waiting(&queue, *reader))).collect();
        let mut order = Vec::new();
        while !entering.is_empty() {
            drop(permit.take());
            let next = entering.iter_mut().position(|(_, entering)| {
                permit = granted(entering);
                permit.is_some()
            });
            order.push(*entering.remove(next.expect("one is granted")).0);
        }
        let fair = [
            user(2, 3),
            agent(1, 1),
            server_of(2),
            user(1, 2),
            agent(1, 2),
            user(1, 1),
            user(1, 1),
        ];
        assert_eq!(order, fair);
    }

    #[tokio::test]
    async fn a_permit_of_a_dropped_caller_passes_to_the_next_one() {
        let queue = FairQueue::new(QueueBounds { running: 1, ..BOUNDS });
        let first = running(&queue, user(1, 1));
        let (gone, mut next) = (waiting(&queue, user(2, 2)), waiting(&queue, user(1, 3)));
        drop(first);
        assert!(granted(&mut next).is_none());
        drop(gone);
        assert!(granted(&mut next).is_some());
    }
}
