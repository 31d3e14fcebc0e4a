//! Decisions: commits the decision of a rule, and performs the effects of the commit.
//!
//! Called by `actions`, handlers and background tasks. If push notifications are configured, every
//! message among the changes is pushed, and the pushes are committed with the changes
//! (design/webhooks). The same applies to the chat-message webhooks of apps that want every message
//! (design/webhooks). After the commit, webhook listeners receive the deliveries, and the delivery
//! engine and automatic assignment are woken without waiting for them. The delivery engine itself
//! uses [`commit`], without these effects. This module does not depend on HTTP and contains no
//! rules.

mod any_rule;

use std::sync::Arc;

use confab_domain::app::App;
use confab_domain::decision::context::Context;
use confab_domain::decision::facts::Facts;
use confab_domain::decision::question::Question;
use confab_domain::decision::rule::{Decision, Rule};
use confab_domain::decision::stamp::Stamp;
use confab_domain::push::pushing;
use confab_domain::refusal::Refusal;
use confab_domain::webhooks::chat_message_webhook::deliver_chat_message;
use confab_domain::webhooks::delivery::Delivery;
use confab_store::{Store, WriteError};
use confab_wire::push;

use self::any_rule::{AnyRule, any_rule};
use crate::decision_span::{self, Cause};
use crate::services::Services;
use crate::traces::Span;

impl Services {
    /// Commits the decision of a rule, then performs its effects. Returns the outcome.
    pub async fn decide<R: Rule>(&self, app: &Arc<App>, rule: R) -> Result<R::Outcome, WriteError> {
        let (rule, outcome) = any_rule(rule);
        self.decide_any(0, app, rule).await?;
        outcome.taken()
    }

    /// Commits the decision of a rule for a request that was triggered by `depth_before` nested
    /// webhooks.
    pub async fn decide_after<R: Rule>(
        &self,
        depth_before: u32,
        app: &Arc<App>,
        rule: R,
    ) -> Result<R::Outcome, WriteError> {
        let (rule, outcome) = any_rule(rule);
        self.decide_any(depth_before, app, rule).await?;
        outcome.taken()
    }

    /// Commits the decision of a rule, then performs its effects. Also returns the number of
    /// webhook listeners that received its deliveries.
    pub(crate) async fn decide_and_count_listeners<R: Rule>(
        &self,
        depth_before: u32,
        app: &Arc<App>,
        rule: R,
    ) -> Result<(R::Outcome, usize), WriteError> {
        let (rule, outcome) = any_rule(rule);
        let listeners = self.decide_any(depth_before, app, rule).await?;
        Ok((outcome.taken()?, listeners))
    }

    async fn decide_any(
        &self,
        depth_before: u32,
        app: &Arc<App>,
        rule: Box<dyn AnyRule>,
    ) -> Result<usize, WriteError> {
        let (context, name) = (self.context(app, depth_before), rule.name());
        let pushes = self.config().apns.as_ref().map(|apns| Pushes {
            url: apns.url().to_owned(),
            brands: self.config().brands.clone(),
        });
        let wants_chat_messages = app.has_chat_message_webhook || context.is_listened_to;
        let rule = PushedRule { rule: ChatMessageWebhook { rule, wants_chat_messages }, pushes };
        let span = decision_span::begin(self, app, name);
        let cause = span.as_ref().map(Span::context).zip(self.tracer().cloned());
        let committed = commit_any(self.store(), context, rule, cause).await;
        if let Some(span) = span {
            decision_span::end(span, committed.as_ref().err());
        }
        Ok(self.follow(app, &committed?))
    }

    /// Performs the effects of a commit. Returns the number of webhook listeners that received its
    /// deliveries.
    fn follow(&self, app: &App, followed: &CommitEffects) -> usize {
        if followed.changes_app {
            self.evict_app(app);
        }
        if followed.wakes_delivery {
            self.wake_delivery();
        }
        if followed.is_allocating {
            self.wake_allocation(app.id);
        }
        self.publish(app, &followed.for_listeners)
    }
}

/// The effects that the caller must perform after a commit.
pub(crate) struct CommitEffects {
    wakes_delivery: bool,
    changes_app: bool,
    is_allocating: bool,
    pub(crate) for_listeners: Vec<Delivery>,
}

/// Commits the decision of a rule without pushes and chat-message webhooks. The caller performs the
/// effects.
pub(crate) async fn commit<R: Rule>(
    store: &Store,
    context: &Context,
    rule: R,
) -> Result<(R::Outcome, CommitEffects), WriteError> {
    let (rule, outcome) = any_rule(rule);
    let rule =
        PushedRule { rule: ChatMessageWebhook { rule, wants_chat_messages: false }, pushes: None };
    let followed = commit_any(store, context.clone(), rule, None).await?;
    Ok((outcome.taken()?, followed))
}

async fn commit_any(
    store: &Store,
    context: Context,
    rule: PushedRule,
    cause: Option<Cause>,
) -> Result<CommitEffects, WriteError> {
    let (app, question) = (context.app.id, rule.question(&context.app));
    let deciding = move |facts: &Facts, stamp: &Stamp<'_>| {
        let decision = rule.decide(&context, facts, stamp)?;
        decision_span::remember(cause.as_ref(), &decision.changes);
        Ok(followed(decision))
    };
    store.decide(app, question, deciding).await
}

fn followed(decision: Decision<()>) -> Decision<CommitEffects> {
    let Decision { changes, outcome: (), for_listeners, is_allocating } = decision;
    let wakes_delivery = changes.iter().any(|change| change.wakes_delivery());
    let changes_app = changes.iter().any(|change| change.changes_app());
    let followed = CommitEffects { wakes_delivery, changes_app, is_allocating, for_listeners };
    Decision::new(changes, followed)
}

/// A rule with the chat-message webhooks of the messages that it posts, if the app wants them or
/// has webhook listeners.
struct ChatMessageWebhook {
    rule: Box<dyn AnyRule>,
    wants_chat_messages: bool,
}

impl ChatMessageWebhook {
    fn question(&self, app: &App) -> Question {
        let question = self.rule.question(app);
        // Rules that post messages also query the recipients' devices.
        let wants_chat_messages = question.finds_devices && self.wants_chat_messages;
        Question { wants_chat_messages, ..question }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let decision = self.rule.decide(context, facts, stamp)?;
        if !self.wants_chat_messages {
            return Ok(decision);
        }
        let deliveries = deliver_chat_message(
            context,
            facts,
            stamp,
            &decision.changes,
            self.rule.message_source(),
        )?;
        Ok(decision.with_deliveries(deliveries))
    }
}

/// A rule with the push notifications of the messages that it posts, if push notifications are
/// configured.
struct PushedRule {
    rule: ChatMessageWebhook,
    pushes: Option<Pushes>,
}

/// The URL to which pushes are sent, and the brands under whose names messages customize them.
struct Pushes {
    url: String,
    brands: Vec<String>,
}

impl PushedRule {
    fn question(&self, app: &App) -> Question {
        let question = self.rule.question(app);
        let finds_devices = question.finds_devices && self.pushes.is_some();
        Question { finds_devices, ..question }
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let mut decision = self.rule.decide(context, facts, stamp)?;
        if let Some(Pushes { url, brands }) = &self.pushes {
            let (app, body) = (context.app.id, |it: &pushing::Push<'_>| push::body(it, brands));
            let pushes = pushing::push(facts, stamp, app, url, &decision.changes, body);
            decision.changes.extend(pushes);
        }
        Ok(decision)
    }
}
