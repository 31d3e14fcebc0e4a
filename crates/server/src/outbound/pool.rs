//! Connections that wait for the next request to the same target.
//!
//! None is used when it is older than the vetting of its address may be, and none waits for long:
//! receivers close idle connections, and a request that meets the closing is a failed attempt.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use super::connection::OutboundConnection;
use super::target::{Host, Target};

const IDLE_PER_TARGET_MAX: usize = 64;
const IDLE_MAX: usize = 1024;
const AGE_MAX: Duration = Duration::from_secs(60);
const IDLE_FOR_MAX: Duration = Duration::from_secs(20);
const SWEEP_EVERY: Duration = Duration::from_secs(5);

/// Whoever may share connections: scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PoolKey {
    is_tls: bool,
    host: Host,
    port: u16,
}

impl PoolKey {
    pub(super) fn of(target: &Target) -> Self {
        Self { is_tls: target.is_tls(), host: target.host().clone(), port: target.port() }
    }
}

/// The idle connections of a client.
#[derive(Default)]
pub(super) struct ConnectionPool {
    state: Mutex<PoolState>,
}

#[derive(Default)]
struct PoolState {
    idle: HashMap<PoolKey, Vec<Idle>>,
    count: usize,
    is_swept: bool,
}

struct Idle {
    connection: OutboundConnection,
    since: Instant,
}

impl Idle {
    fn is_fresh(&self) -> bool {
        self.connection.opened.elapsed() < AGE_MAX && self.since.elapsed() < IDLE_FOR_MAX
    }
}

impl ConnectionPool {
    /// The connection that was used last, if it still is one.
    pub(super) fn take(&self, key: &PoolKey) -> Option<OutboundConnection> {
        loop {
            let idle = self.state.lock().pop(key)?;
            if idle.is_fresh() && idle.connection.is_usable() {
                return Some(idle.connection);
            }
        }
    }

    /// Keeps a connection whose last answer was read to its end. A full pool lets go of it.
    pub(super) fn put(self: &Arc<Self>, key: PoolKey, connection: OutboundConnection) {
        let idle = Idle { connection, since: Instant::now() };
        if !idle.is_fresh() || idle.connection.sender.is_closed() {
            return;
        }
        let mut state = self.state.lock();
        state.push(key, idle);
        if !state.is_swept && state.count > 0 {
            state.is_swept = true;
            tokio::spawn(sweep(Arc::downgrade(self)));
        }
    }
}

impl PoolState {
    fn pop(&mut self, key: &PoolKey) -> Option<Idle> {
        let waiting = self.idle.get_mut(key)?;
        let idle = waiting.pop();
        if waiting.is_empty() {
            self.idle.remove(key);
        }
        self.count -= usize::from(idle.is_some());
        idle
    }

    fn push(&mut self, key: PoolKey, idle: Idle) {
        if self.count >= IDLE_MAX {
            return;
        }
        let waiting = self.idle.entry(key).or_default();
        if waiting.len() < IDLE_PER_TARGET_MAX {
            waiting.push(idle);
            self.count += 1;
        }
    }

    fn drop_stale(&mut self) {
        for waiting in self.idle.values_mut() {
            waiting.retain(|idle| idle.is_fresh() && !idle.connection.sender.is_closed());
        }
        self.idle.retain(|_, waiting| !waiting.is_empty());
        self.count = self.idle.values().map(Vec::len).sum();
    }
}

/// Closes what nobody asks for any more. Ends with the pool, or when nothing is left to close.
async fn sweep(pool: Weak<ConnectionPool>) {
    let mut ticks = tokio::time::interval_at(Instant::now() + SWEEP_EVERY, SWEEP_EVERY);
    loop {
        ticks.tick().await;
        let Some(pool) = pool.upgrade() else { return };
        let mut state = pool.state.lock();
        state.drop_stale();
        if state.count == 0 {
            state.is_swept = false;
            return;
        }
    }
}

#[cfg(test)]
impl ConnectionPool {
    /// How many connections wait.
    pub(super) fn count(&self) -> usize {
        self.state.lock().count
    }
}
