//! Password hashing: argon2id on separate threads, a few at a time, in bounded queues (D-0069).
//!
//! Hashing is slow on purpose, so a flood of passwords must delay only the queue in which it
//! arrives. There is one queue for the dashboard and two for each app: for its clients and for its
//! own server. Only the first few jobs of each queue compete within their kind, and only the first
//! few jobs of each kind compete for the threads. A job in an empty queue therefore waits for a few
//! hashes only, however long the other queues are.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use argon2::{Argon2, PasswordHasher, PasswordVerifier};
use confab_domain::ids::AppId;
use confab_domain::limits;
use confab_runtime::admission::peer::Peer;
use parking_lot::Mutex;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

/// The purpose of hashing a password, which selects the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HashingFor {
    /// An agent signs in or changes their own password.
    SignIn(Peer),
    /// A client of the app logs in or registers.
    LogIn(AppId, Peer),
    /// The app or one of its admins sets a user's password.
    Command(AppId),
}

impl HashingFor {
    fn queue(self) -> QueueName {
        match self {
            Self::SignIn(_) => QueueName { kind: 0, app: None },
            Self::LogIn(app, _) => QueueName { kind: 1, app: Some(app) },
            Self::Command(app) => QueueName { kind: 2, app: Some(app) },
        }
    }

    /// Returns the client's address, which is limited to a share of the queue. `None` if the caller
    /// is already authenticated.
    fn peer(self) -> Option<Peer> {
        match self {
            Self::SignIn(peer) | Self::LogIn(_, peer) => Some(peer),
            Self::Command(_) => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct QueueName {
    kind: usize,
    app: Option<AppId>,
}

/// The queues of password hashing. There is one instance per process.
pub(crate) struct HashingQueues {
    /// Slots of running jobs, for which the first jobs of each kind compete.
    running: Arc<Semaphore>,
    /// Slots of each kind, for which the first jobs of each queue compete.
    kinds: [Arc<Semaphore>; 3],
    queues: Arc<Mutex<HashMap<QueueName, HashingQueue>>>,
}

/// A queue, which exists while it has jobs.
struct HashingQueue {
    turns: Arc<Semaphore>,
    length: usize,
    by_peer: HashMap<Peer, usize>,
}

impl Default for HashingQueues {
    fn default() -> Self {
        let few = || Arc::new(Semaphore::new(limits::HASHING_MAX));
        Self { running: few(), kinds: [few(), few(), few()], queues: Arc::default() }
    }
}

impl HashingQueues {
    /// Hashes a password.
    pub(crate) async fn hash(
        &self,
        wanted: HashingFor,
        password: String,
    ) -> Result<String, PasswordError> {
        self.run(wanted, move || hash_now(&password)).await?
    }

    /// Whether a password matches this hash. Without a hash, the result is `false` after the same
    /// work, so that the response time does not reveal which accounts exist.
    pub(crate) async fn verify(
        &self,
        wanted: HashingFor,
        password: String,
        hash: Option<String>,
    ) -> Result<bool, PasswordError> {
        let verified = move || {
            let nobodys = nobodys_hash()?;
            let shown = hash.as_deref().unwrap_or(nobodys);
            let is_same = Argon2::default().verify_password(password.as_bytes(), shown).is_ok();
            Ok(is_same && hash.is_some())
        };
        self.run(wanted, verified).await?
    }

    /// Waits for a slot, then runs the work on a blocking thread. Dropping the future leaves the
    /// queue, but work that is already running continues and holds its slot until it ends.
    async fn run<Answer: Send + 'static>(
        &self,
        wanted: HashingFor,
        work: impl FnOnce() -> Answer + Send + 'static,
    ) -> Result<Answer, PasswordError> {
        let (place, turns) = self.queue_up(wanted)?;
        let of_queue = turns.acquire_owned().await?;
        let of_kind = self.kinds[wanted.queue().kind].clone().acquire_owned().await?;
        let of_all = self.running.clone().acquire_owned().await?;
        let held: [OwnedSemaphorePermit; 3] = [of_queue, of_kind, of_all];
        let working = move || {
            let answer = work();
            drop((held, place));
            answer
        };
        tokio::task::spawn_blocking(working).await.map_err(|_| PasswordError::Failed)
    }

    fn queue_up(&self, wanted: HashingFor) -> Result<(QueuePlace, Arc<Semaphore>), PasswordError> {
        let mut queues = self.queues.lock();
        let queue = queues.entry(wanted.queue()).or_insert_with(|| HashingQueue {
            turns: Arc::new(Semaphore::new(limits::HASHING_MAX)),
            length: 0,
            by_peer: HashMap::new(),
        });
        let of_peer = wanted.peer().and_then(|peer| queue.by_peer.get(&peer)).copied();
        let is_full = queue.length >= limits::HASHING_QUEUE_MAX
            || of_peer.is_some_and(|count| count >= limits::HASHING_QUEUE_OF_PEER_MAX);
        if is_full {
            metrics::counter!("confab_password_hashing_refused_total").increment(1);
            return Err(PasswordError::Busy);
        }
        queue.length += 1;
        if let Some(peer) = wanted.peer() {
            *queue.by_peer.entry(peer).or_default() += 1;
        }
        Ok((QueuePlace { wanted, queues: self.queues.clone() }, queue.turns.clone()))
    }
}

/// A slot in a queue, released on drop.
struct QueuePlace {
    wanted: HashingFor,
    queues: Arc<Mutex<HashMap<QueueName, HashingQueue>>>,
}

impl Drop for QueuePlace {
    fn drop(&mut self) {
        let mut queues = self.queues.lock();
        let name = self.wanted.queue();
        let Some(queue) = queues.get_mut(&name) else { return };
        queue.length -= 1;
        if let Some(peer) = self.wanted.peer()
            && let Some(count) = queue.by_peer.get_mut(&peer)
        {
            *count -= 1;
            if *count == 0 {
                queue.by_peer.remove(&peer);
            }
        }
        if queue.length == 0 {
            queues.remove(&name);
        }
    }
}

/// Returns a hash that belongs to no account. Verifying it costs as much as verifying any other.
fn nobodys_hash() -> Result<&'static str, PasswordError> {
    static HASH: OnceLock<String> = OnceLock::new();
    if let Some(hash) = HASH.get() {
        return Ok(hash);
    }
    let hash = hash_now("nobody's")?;
    Ok(HASH.get_or_init(|| hash))
}

/// Hashes a password on the current thread, for commands and the first start.
pub fn hash_now(password: &str) -> Result<String, PasswordError> {
    let hash = Argon2::default().hash_password(password.as_bytes());
    hash.map(|hash| hash.to_string()).map_err(|_| PasswordError::Failed)
}

/// Reason why a password was not hashed or verified.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// Hashing failed, which happens only if there is no memory or no source of random bytes.
    #[error("a password could not be hashed")]
    Failed,
    /// The queue is full.
    #[error("too many passwords wait to be hashed")]
    Busy,
}

/// Required by `?`; the semaphores here are never closed.
impl From<AcquireError> for PasswordError {
    fn from(_: AcquireError) -> Self {
        Self::Failed
    }
}

#[cfg(test)]
mod tests;
