//! Idle connections, kept for the next request to the same target.
//!
//! A connection is not used after the vetting of its address has expired, and is closed when it has
//! been idle for long: receivers close idle connections, and a request sent at that moment fails.

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
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);

/// The key of connections that may be shared: scheme, host and port.
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
    /// Takes the most recently used connection that is still usable.
    pub(super) fn take(&self, key: &PoolKey) -> Option<OutboundConnection> {
        loop {
            let idle = self.state.lock().pop(key)?;
            if idle.is_fresh() && idle.connection.is_usable() {
                return Some(idle.connection);
            }
        }
    }

    /// Stores a connection whose last answer was read to the end. Drops it if the pool is full.
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

/// Closes stale idle connections. Ends when the pool is dropped or empty.
async fn sweep(pool: Weak<ConnectionPool>) {
    let mut ticks = tokio::time::interval_at(Instant::now() + SWEEP_INTERVAL, SWEEP_INTERVAL);
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
    /// Returns the number of idle connections.
    pub(super) fn count(&self) -> usize {
        self.state.lock().count
    }
}
