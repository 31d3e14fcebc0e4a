//! Follows the events of a server by long polling, across restarts of the server.

use std::time::Duration;

use serde::Deserialize;
use tokio::time::{Interval, MissedTickBehavior, interval, timeout};

use super::event::ShownEvent;
use crate::command_error::CommandError;
use crate::remote::server_api::{CallError, ServerApi};

/// Number of seconds for which the server holds a poll open if there are no events.
const WAIT_S: u64 = 25;
/// Time limit of a poll, longer than `WAIT_S`, so that a quiet server does not count as
/// unreachable.
const POLL_LIMIT: Duration = Duration::from_secs(WAIT_S + 10);
/// Minimum interval between polls, even if the server responds at once without events.
const POLL_EVERY_MIN: Duration = Duration::from_millis(50);
const PAUSE_FIRST: Duration = Duration::from_millis(250);
const PAUSE_MAX: Duration = Duration::from_secs(5);

/// A position in a server's events.
pub(super) struct EventPosition<'a> {
    api: &'a ServerApi,
    after: i64,
    every: Interval,
}

#[derive(Deserialize)]
struct EventsAnswer {
    events: Vec<ShownEvent>,
    next: i64,
}

impl<'a> EventPosition<'a> {
    /// Starts at the current position. Fails, instead of retrying, if the server is unreachable: no
    /// events can have been missed yet.
    pub(super) async fn start(api: &'a ServerApi) -> Result<Self, CommandError> {
        let query = [("wait_seconds", "0".to_owned())];
        let now: EventsAnswer = api.get("/listen", &query, POLL_LIMIT).await?.read()?;
        let mut every = interval(POLL_EVERY_MIN);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Self { api, after: now.next, every })
    }

    /// Returns the events since the last call; empty if none arrived within `WAIT_S` seconds. While
    /// the server is unreachable, polls are retried with growing pauses, from the position after
    /// the last event.
    pub(super) async fn next_events(&mut self) -> Result<Vec<ShownEvent>, CommandError> {
        let mut pause = PAUSE_FIRST;
        loop {
            self.every.tick().await;
            let was_away = pause > PAUSE_FIRST;
            // After an interruption, poll without waiting, to notice at once that the server is
            // back.
            match self.poll(if was_away { 0 } else { WAIT_S }).await {
                Ok(events) => {
                    if was_away {
                        eprintln!("Reconnected to the server.");
                    }
                    return events;
                }
                Err(error) if !error.is_passing() => return Err(error.into()),
                Err(error) if pause == PAUSE_FIRST => {
                    eprintln!("Lost the server, retrying: {error}");
                }
                Err(_) => {}
            }
            // Sleep for the pause: the inner future never completes.
            let _ = timeout(pause, std::future::pending::<()>()).await;
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    async fn poll(
        &mut self,
        wait_s: u64,
    ) -> Result<Result<Vec<ShownEvent>, CommandError>, CallError> {
        let query = [("after", self.after.to_string()), ("wait_seconds", wait_s.to_string())];
        let data = self.api.get("/listen", &query, POLL_LIMIT).await?;
        Ok(data.read().map(|EventsAnswer { events, next }| {
            self.after = next;
            events
        }))
    }
}
