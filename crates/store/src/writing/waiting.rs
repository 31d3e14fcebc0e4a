//! The queue of decisions for an engine's writer, shared by both engines.
//!
//! An engine has one writer thread. It takes all queued decisions, writes them in one commit, and
//! only then responds to their callers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use confab_domain::decision::change::Change;
use confab_domain::decision::commit_event::{CommitEvent, CommitListener};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::Decision;
use confab_domain::decision::stamp::{Stamp, Stamps};
use confab_domain::ids::{AppId, DeliveryId};
use confab_domain::limits;
use confab_domain::refusal::Refusal;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use crate::error::{Fault, StoreError, WriteError};

/// A queued decision with its waiting caller.
pub(crate) trait QueuedDecision: Send {
    fn app(&self) -> AppId;

    fn question(&self) -> &Question;

    /// Runs the rule on the facts and stores its outcome. Returns the changes, which are empty if
    /// the rule refused. Called again if the changes could not be written.
    fn decide(&mut self, facts: &Facts, stamps: &dyn Stamps) -> Result<Vec<Change>, StoreError>;

    /// Sends the outcome, or the reason why nothing was written, to the caller.
    fn answer(self: Box<Self>, failure: Option<&Fault>);
}

struct Decider<Outcome, Rule> {
    app: AppId,
    question: Question,
    rule: Rule,
    outcome: Option<Result<Outcome, Refusal>>,
    answer: oneshot::Sender<Result<Outcome, WriteError>>,
}

impl<Outcome, Rule> Decider<Outcome, Rule>
where
    Rule: Fn(&Facts, &Stamp<'_>) -> Result<Decision<Outcome>, Refusal>,
{
    /// Runs the rule. Refuses if the caller's right has ended since the request was accepted
    /// (D-0067).
    fn decided(&self, facts: &Facts, stamp: &Stamp<'_>) -> Result<Decision<Outcome>, Refusal> {
        self.question.check_right(facts, stamp.now)?;
        (self.rule)(facts, stamp)
    }
}

impl<Outcome, Rule> QueuedDecision for Decider<Outcome, Rule>
where
    Outcome: Send,
    Rule: Fn(&Facts, &Stamp<'_>) -> Result<Decision<Outcome>, Refusal> + Send,
{
    fn app(&self) -> AppId {
        self.app
    }

    fn question(&self) -> &Question {
        &self.question
    }

    fn decide(&mut self, facts: &Facts, stamps: &dyn Stamps) -> Result<Vec<Change>, StoreError> {
        // A panic in a rule is a defect, but must not stop the writer.
        let decided =
            catch_unwind(AssertUnwindSafe(|| self.decided(facts, &Stamp::new(stamps, facts))))
                .map_err(|_| StoreError::while_doing("running a rule")("the rule panicked"))?;
        let (changes, outcome) = match decided {
            Ok(Decision { changes, outcome, .. }) => (changes, Ok(outcome)),
            Err(refusal) => (Vec::new(), Err(refusal)),
        };
        self.outcome = Some(outcome);
        Ok(changes)
    }

    fn answer(self: Box<Self>, failure: Option<&Fault>) {
        let outcome = match (failure, self.outcome) {
            (None, Some(outcome)) => outcome.map_err(WriteError::Refused),
            (fault, _) => {
                let fault = fault.cloned().unwrap_or_else(|| "there is no outcome".into());
                Err(StoreError::while_doing("writing")(fault).into())
            }
        };
        // If the caller is gone, the response is not needed; the decision is written.
        let _ = self.answer.send(outcome);
    }
}

/// Sends the outcomes of decisions, or the reasons why they were not written, to their callers.
///
/// All outcomes of a commit are sent by one task on the callers' runtime: waking callers one by one
/// from a thread outside of the runtime costs one system call per caller.
pub(crate) struct Answers(Option<tokio::runtime::Handle>);

impl Answers {
    /// Creates a sender that uses the current runtime, if there is one.
    fn here() -> Self {
        Self(tokio::runtime::Handle::try_current().ok())
    }

    pub(crate) fn send(&self, answered: Vec<(Box<dyn QueuedDecision>, Option<Fault>)>) {
        let send = || answered.into_iter().for_each(|(it, fault)| it.answer(fault.as_ref()));
        match &self.0 {
            Some(runtime) => drop(runtime.spawn(async move { send() })),
            None => send(),
        }
    }
}

/// The listener of committed changes, if one is set. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct CommitListeners(Arc<OnceLock<Arc<dyn CommitListener>>>);

impl CommitListeners {
    /// Sets the listener. Has no effect if a listener is already set.
    pub(crate) fn open(&self, listener: Arc<dyn CommitListener>) {
        let _ = self.0.set(listener);
    }

    pub(crate) fn are_open(&self) -> bool {
        self.0.get().is_some()
    }

    pub(crate) fn notify(&self, news: Vec<(AppId, CommitEvent)>) {
        if let Some(listener) = self.0.get().filter(|_| !news.is_empty()) {
            listener.receive(news);
        }
    }
}

/// An order to the writer thread.
pub(crate) enum Order {
    /// Decide and write the decision.
    Decide(Box<dyn QueuedDecision>),
    /// Prove that commits work.
    Check(oneshot::Sender<Result<(), StoreError>>),
    /// Purge some deliveries older than this id, and return their number.
    Purge(DeliveryId, oneshot::Sender<Result<usize, StoreError>>),
    /// Stop after completing the previous orders.
    Close,
}

/// Handle of an engine's writer thread.
pub(crate) struct WriterThread {
    orders: mpsc::Sender<Order>,
    thread: Mutex<Option<JoinHandle<Result<(), StoreError>>>>,
}

impl WriterThread {
    /// Starts the thread; `run` executes orders until it receives [`Order::Close`].
    pub(crate) fn start(
        run: impl FnOnce(mpsc::Receiver<Order>, Answers) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<Self, StoreError> {
        let (orders, waiting) = mpsc::channel(limits::WRITE_QUEUE_MAX);
        let answers = Answers::here();
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || run(waiting, answers))
            .map_err(StoreError::while_doing("starting the writer"))?;
        Ok(Self { orders, thread: Mutex::new(Some(thread)) })
    }

    /// Queues a decision and waits for its outcome. Fails immediately if the queue is full.
    pub(crate) async fn decide<Outcome, Rule>(
        &self,
        app: AppId,
        question: Question,
        rule: Rule,
    ) -> Result<Outcome, WriteError>
    where
        Outcome: Send + 'static,
        Rule: Fn(&Facts, &Stamp<'_>) -> Result<Decision<Outcome>, Refusal> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let decider = Decider { app, question, rule, outcome: None, answer };
        self.hand_over(Order::Decide(Box::new(decider)))?;
        answered.await.map_err(StoreError::while_doing(HANDING_OVER))?
    }

    /// Checks that the writer can commit.
    pub(crate) async fn check(&self) -> Result<(), StoreError> {
        let (answer, answered) = oneshot::channel();
        self.hand_over(Order::Check(answer))?;
        answered.await.map_err(StoreError::while_doing(HANDING_OVER))?
    }

    /// Purges some of the deliveries older than this id. Returns their number.
    pub(crate) async fn purge(&self, before: DeliveryId) -> Result<usize, StoreError> {
        let (answer, answered) = oneshot::channel();
        self.hand_over(Order::Purge(before, answer))?;
        answered.await.map_err(StoreError::while_doing(HANDING_OVER))?
    }

    fn hand_over(&self, order: Order) -> Result<(), StoreError> {
        let refused = |error: mpsc::error::TrySendError<Order>| error.to_string();
        let sent = self.orders.try_send(order).map_err(refused);
        sent.map_err(StoreError::while_doing(HANDING_OVER))
    }

    /// Completes the queued orders and stops the writer.
    pub(crate) async fn close(&self) -> Result<(), StoreError> {
        let doing = "closing the writer";
        let Some(thread) = self.thread.lock().take() else { return Ok(()) };
        // The thread may have ended already; joining it returns the reason.
        let _ = self.orders.send(Order::Close).await;
        let joined = tokio::task::spawn_blocking(move || thread.join()).await;
        joined
            .map_err(StoreError::while_doing(doing))?
            .map_err(|_| StoreError::while_doing(doing)("the writer panicked"))?
    }
}

const HANDING_OVER: &str = "handing work to the writer";

/// Orders that the writer takes from its queue at once. Its decisions are written in one commit.
#[derive(Default)]
pub(crate) struct QueueBatch {
    pub(crate) decisions: Vec<Box<dyn QueuedDecision>>,
    pub(crate) checks: Vec<oneshot::Sender<Result<(), StoreError>>>,
    pub(crate) forgets: Vec<(DeliveryId, oneshot::Sender<Result<usize, StoreError>>)>,
    /// Whether the orders include [`Order::Close`], so that the writer must stop after them.
    pub(crate) is_last: bool,
}

impl QueueBatch {
    /// Takes all queued orders, up to the maximum number of decisions in a commit.
    pub(crate) fn all(first: Order, waiting: &mut mpsc::Receiver<Order>) -> Self {
        let mut taken = Self::default();
        let mut next = Some(first);
        while let Some(order) = next {
            match order {
                Order::Decide(decision) => taken.decisions.push(decision),
                Order::Check(check) => taken.checks.push(check),
                Order::Purge(before, answer) => taken.forgets.push((before, answer)),
                Order::Close => taken.is_last = true,
            }
            let is_full = taken.decisions.len() >= limits::COMMIT_WRITES_MAX;
            next = if is_full || taken.is_last { None } else { waiting.try_recv().ok() };
        }
        taken
    }
}
