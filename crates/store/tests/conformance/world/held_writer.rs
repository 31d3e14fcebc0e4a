//! Blocks the writer, so that several decisions are queued together.

use std::sync::mpsc;

use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::Stamp;
use tokio::task::JoinHandle;

use super::World;

/// A decision that does not end until it is released.
pub struct HeldWriter {
    released: mpsc::Sender<()>,
    decision: JoinHandle<()>,
}

impl World {
    /// Blocks the store in a decision. Later decisions are queued, and an engine that commits in
    /// batches takes them together.
    pub async fn hold_writer(&self) -> HeldWriter {
        let (deciding, mut is_deciding) = tokio::sync::mpsc::unbounded_channel();
        let (released, release) = mpsc::channel::<()>();
        let world = self.clone();
        let decision = tokio::spawn(async move {
            let rule = move |_: &Facts, _: &Stamp<'_>| {
                let _ = deciding.send(());
                // Released by dropping the other end, so a second run of this rule does not wait.
                let _ = release.recv();
                Ok(Decision::nothing(()))
            };
            world.store.decide(world.app, Question::default(), rule).await.expect("decided");
        });
        is_deciding.recv().await.expect("the rule runs");
        HeldWriter { released, decision }
    }
}

impl HeldWriter {
    /// Releases the store.
    pub async fn release(self) {
        drop(self.released);
        self.decision.await.expect("the held decision ends");
    }
}
