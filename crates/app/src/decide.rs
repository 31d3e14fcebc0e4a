//! Decisions: commits the decision of a rule, and performs the effects of the commit.
//!
//! Called by `actions`, handlers and background tasks. If push notifications are configured, every
//! message among the changes is pushed, and the pushes are committed with the changes
//! (design/webhooks). The same applies to the chat-message webhooks of apps that want every message
//! (design/webhooks). After the commit, webhook listeners receive the deliveries, and the delivery
//! engine and automatic assignment are woken without waiting for them. The delivery engine itself
//! commits without these effects. This module does not depend on HTTP and contains no rules.

use std::any::{Any, type_name};
use std::sync::Arc;

use confab_delivery::listeners::Listeners;
use confab_delivery::renderers::renderers;
use confab_delivery::wake::DeliveryWake;
use confab_domain::app::App;
use confab_domain::decision::change::Change;
use confab_domain::decision::commit_effects::CommitEffects;
use confab_domain::decision::context::{Context, Renderers};
use confab_domain::decision::facts::Facts;
use confab_domain::decision::principal::Principal;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::{Decision, Rule};
use confab_domain::decision::stamp::Stamp;
use confab_domain::ids::AppId;
use confab_domain::push::pushing;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::chat_message_webhook::deliver_chat_message;
use confab_domain::webhooks::event::MessageSource;
use confab_domain::webhooks::fan_out::FanOut;
use confab_runtime::config::Config;
use confab_runtime::origin;
use confab_runtime::traces::{Span, Tracer};
use confab_store::{Store, StoreError, StoreProblem, WriteError};
use confab_wire::push;

use crate::apps::Apps;
use crate::decision_span;
use crate::jobs::allocation_wake::AllocationWake;

/// Commits decisions. Cheap to clone; all clones share one state.
#[derive(Clone)]
pub struct Decisions(Arc<DecisionsInner>);

struct DecisionsInner {
    store: Store,
    config: Arc<Config>,
    renderers: Arc<Renderers>,
    tracer: Option<Tracer>,
    apps: Apps,
    delivery_wake: Arc<DeliveryWake>,
    listeners: Arc<Listeners>,
    allocation_wake: AllocationWake,
}

impl Decisions {
    pub(crate) fn new(store: Store, config: Arc<Config>) -> Self {
        Self(Arc::new(DecisionsInner {
            renderers: Arc::new(renderers(&config.brands)),
            tracer: Tracer::new(&config),
            apps: Apps::new(store.clone()),
            delivery_wake: Arc::default(),
            listeners: Arc::default(),
            allocation_wake: AllocationWake::default(),
            store,
            config,
        }))
    }

    /// Returns the store of all data except uploaded files.
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    pub fn apps(&self) -> &Apps {
        &self.0.apps
    }

    /// Returns the tracer, if a collector is configured.
    pub fn tracer(&self) -> Option<&Tracer> {
        self.0.tracer.as_ref()
    }

    /// Returns the functions with which rules render public JSON.
    pub(crate) fn renderers(&self) -> Arc<Renderers> {
        self.0.renderers.clone()
    }

    /// Returns the source of messages from the widget: the name of the first brand in lower case.
    pub fn widget_source(&self) -> &str {
        &self.0.renderers.widget_source
    }

    /// Returns the store and the source of messages from the widget, which inbox rows show.
    pub fn rows(&self) -> (&Store, &str) {
        (self.store(), self.widget_source())
    }

    /// Returns the signal that wakes the delivery engine.
    pub(crate) fn delivery_wake(&self) -> Arc<DeliveryWake> {
        self.0.delivery_wake.clone()
    }

    /// Returns the webhook listeners that are connected to this node.
    pub fn listeners(&self) -> &Arc<Listeners> {
        &self.0.listeners
    }

    /// Returns the signal that starts assignment runs.
    pub(crate) fn allocation_wake(&self) -> &AllocationWake {
        &self.0.allocation_wake
    }

    /// Commits the decision of a rule, then performs its effects. Returns the outcome. The rule is
    /// refused if the right of the principal has ended (D-0067).
    pub async fn decide<R: Rule>(&self, by: &Principal, rule: R) -> Result<R::Outcome, WriteError> {
        let (outcome, _) = self.commit(0, by, Box::new(Erased(rule))).await?;
        outcome_of::<R>(outcome)
    }

    /// Commits the decision of a rule for a request that was triggered by `depth_before` nested
    /// webhooks.
    pub async fn decide_after<R: Rule>(
        &self,
        depth_before: u32,
        by: &Principal,
        rule: R,
    ) -> Result<R::Outcome, WriteError> {
        let (outcome, _) = self.commit(depth_before, by, Box::new(Erased(rule))).await?;
        outcome_of::<R>(outcome)
    }

    /// Commits the decision of a rule, then performs its effects. Also returns the number of
    /// webhook listeners that received its deliveries.
    pub(crate) async fn decide_and_count_listeners<R: Rule>(
        &self,
        depth_before: u32,
        by: &Principal,
        rule: R,
    ) -> Result<(R::Outcome, usize), WriteError> {
        let (outcome, listeners) = self.commit(depth_before, by, Box::new(Erased(rule))).await?;
        Ok((outcome_of::<R>(outcome)?, listeners))
    }

    async fn commit(
        &self,
        depth_before: u32,
        by: &Principal,
        rule: Box<dyn AnyRule>,
    ) -> Result<(AnyOutcome, usize), WriteError> {
        let context = self.context(by, depth_before);
        let additions = self.additions(&context);
        let tracer = self.0.tracer.as_ref();
        let span = decision_span::begin(tracer, self.store(), &by.app, rule.name());
        let cause = span.as_ref().map(Span::context).zip(self.0.tracer.clone());
        let question = additions.question(rule.question(&by.app)).on_right(by.right().cloned());
        let deciding = move |facts: &Facts, stamp: &Stamp<'_>| {
            let decision = rule.decide(&context, facts, stamp)?;
            let source = rule.message_source();
            let deliveries =
                additions.deliveries(&context, facts, stamp, &decision.changes, source)?;
            let decision = decision.with_deliveries(deliveries);
            let pushes = additions.pushes(facts, stamp, context.app.id, &decision.changes);
            let decision = decision.also(pushes);
            decision_span::remember(cause.as_ref(), &decision.changes);
            Ok(decision.with_effects())
        };
        let committed = self.store().decide(by.app.id, question, deciding).await;
        if let Some(span) = span {
            decision_span::end(span, committed.as_ref().err());
        }
        let (outcome, effects) = committed?;
        Ok((outcome, self.perform(&by.app, &effects)))
    }

    /// Performs the effects of a commit. Returns the number of webhook listeners that received its
    /// deliveries.
    fn perform(&self, app: &App, effects: &CommitEffects) -> usize {
        let DecisionsInner { apps, delivery_wake, listeners, allocation_wake, config, .. } =
            &*self.0;
        if effects.changes_app {
            delivery_wake.changed(app.id);
            apps.outdate(app);
        }
        if effects.wakes_delivery {
            delivery_wake.wake();
        }
        if effects.is_allocating {
            allocation_wake.wake(app.id);
        }
        listeners.publish(app, &config.brands, &effects.for_listeners)
    }

    /// Returns the context in which rules decide. `depth_before` is the number of nested webhooks
    /// that triggered the request.
    fn context(&self, by: &Principal, depth_before: u32) -> Context {
        let is_listened_to = self.0.listeners.has_listeners(by.app.id);
        let renderers = self.renderers();
        let (app, actor, address) = (by.app.clone(), by.actor(), origin::address());
        Context { app, renderers, depth_before, is_listened_to, actor, address }
    }

    fn additions(&self, context: &Context) -> Additions {
        let pushes = self.0.config.apns.as_ref().map(|apns| Pushes {
            url: apns.url().to_owned(),
            brands: self.0.config.brands.clone(),
        });
        let wants_chat_messages = context.app.has_chat_message_webhook || context.is_listened_to;
        Additions { wants_chat_messages, pushes }
    }
}

/// A rule of any type. The code that commits rules is compiled once for all of them, which keeps
/// the program small.
trait AnyRule: Send {
    fn question(&self, app: &App) -> Question;

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<AnyOutcome>, Refusal>;

    fn message_source(&self) -> MessageSource;

    /// Type name of the rule, for traces.
    fn name(&self) -> &'static str;
}

type AnyOutcome = Box<dyn Any + Send>;

struct Erased<R>(R);

impl<R: Rule> AnyRule for Erased<R> {
    fn question(&self, app: &App) -> Question {
        self.0.question(app)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<AnyOutcome>, Refusal> {
        Ok(self.0.decide(context, facts, stamp)?.map(|it| Box::new(it) as AnyOutcome))
    }

    fn message_source(&self) -> MessageSource {
        self.0.message_source()
    }

    fn name(&self) -> &'static str {
        type_name::<R>()
    }
}

/// Returns the outcome of a rule in its own type.
fn outcome_of<R: Rule>(outcome: AnyOutcome) -> Result<R::Outcome, WriteError> {
    let (doing, trouble) = ("running a rule", StoreProblem::Unavailable);
    let other = |_| StoreError { doing, trouble, source: "the outcome is of another rule".into() };
    Ok(*outcome.downcast().map_err(other)?)
}

/// The webhooks and pushes that are committed with the messages of a rule.
#[derive(Default)]
struct Additions {
    /// Whether the app wants chat-message webhooks or has webhook listeners.
    wants_chat_messages: bool,
    /// `None` if push notifications are not configured.
    pushes: Option<Pushes>,
}

/// The URL to which pushes are sent, and the brands under whose names messages customize them.
struct Pushes {
    url: String,
    brands: Vec<String>,
}

impl Additions {
    /// Removes what no addition needs from the question.
    fn question(&self, question: Question) -> Question {
        // Rules that post messages query the recipients' devices.
        let posts = question.finds_devices;
        let wants_chat_messages = posts && self.wants_chat_messages;
        let finds_devices = posts && self.pushes.is_some();
        Question { wants_chat_messages, finds_devices, ..question }
    }

    /// Returns the chat-message webhooks of the messages among the changes.
    fn deliveries(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
        changes: &[Change],
        source: MessageSource,
    ) -> Result<FanOut, Refusal> {
        match self.wants_chat_messages {
            true => deliver_chat_message(context, facts, stamp, changes, source),
            false => Ok(FanOut::default()),
        }
    }

    /// Returns the push notifications of the messages among the changes.
    fn pushes(
        &self,
        facts: &Facts,
        stamp: &Stamp<'_>,
        app: AppId,
        changes: &[Change],
    ) -> Vec<Change> {
        let Some(Pushes { url, brands }) = &self.pushes else { return Vec::new() };
        let body = |it: &pushing::Push<'_>| push::body(it, brands);
        pushing::push(facts, stamp, app, url, changes, body)
    }
}
