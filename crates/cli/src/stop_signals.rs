//! Ctrl-C and SIGTERM, which end `confab serve` and `confab listen`.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Handlers of Ctrl-C and SIGTERM. Once they are installed, the signals no longer end the process.
pub struct StopSignals(Option<(Signal, Signal)>);

impl StopSignals {
    pub fn listen() -> Self {
        let interrupt = signal(SignalKind::interrupt());
        Self(interrupt.ok().zip(signal(SignalKind::terminate()).ok()))
    }

    /// Waits for the next signal of either kind.
    pub async fn next(&mut self) {
        let Some((interrupt, terminate)) = &mut self.0 else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }
}
