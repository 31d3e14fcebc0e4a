//! Is a channel well? What its service says of it is kept, and shown to who can do something.

use std::time::Duration;

use confab_domain::channels::provider_health::ProviderState;
use confab_domain::channels::receiving_events::RecordAccountHint;
use confab_domain::channels::stopping::RecordChannelHealth;
use confab_wire::channels::{
    self as wire, ChannelHealth, HealthState, Provider, Step, line, messenger, telegram, whatsapp,
};

use super::calling::StepAnswer;
use super::linked::{LinkedChannel, QUOTA_NOTE};
use super::mail;
use super::renewing::Renewal;
use crate::failures::chain;
use crate::services::Services;

/// How often a service is asked (channel facts 4.1).
const CHECK_EVERY: Duration = Duration::from_secs(300);
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

impl LinkedChannel {
    /// Asks the service how the channel is. `hook_url` is where it should bring what happens.
    pub(crate) async fn check(
        &self,
        services: &Services,
        hook_url: Option<&str>,
        timeout: Duration,
    ) -> ChannelHealth {
        if self.provider == Provider::Email {
            return mail::checking::check(services, self, timeout).await;
        }
        let mut answers = Vec::new();
        for step in wire::check(self.provider, &self.credentials) {
            let report = self.call(services, &step, timeout).await;
            answers.push(StepAnswer::of(&report));
        }
        let answers: Vec<_> = answers.iter().map(StepAnswer::checked).collect();
        wire::health(self.provider, &answers, hook_url)
    }

    /// Asks, and keeps what was answered. A token that can be renewed is.
    pub(crate) async fn checked(&self, services: &Services) -> ChannelHealth {
        let renewal = self.renew(services, true).await;
        let newer = match renewal {
            Renewal::Renewed => Self::load(services, self.channel.id).await.ok().flatten(),
            Renewal::Good | Renewal::Failing(_) => None,
        };
        let linked = newer.as_ref().unwrap_or(self);
        let hook_url = linked.hook_url(services.config());
        linked.look(services, hook_url.as_deref(), &renewal).await
    }

    /// Asks at once, and every now and then, until the token is another: whoever tends the channel
    /// begins anew then.
    pub(super) async fn keep_checking(&self, services: &Services, hook_url: Option<&str>) {
        let mut every = tokio::time::interval(CHECK_EVERY);
        loop {
            every.tick().await;
            let renewal = self.renew(services, false).await;
            if renewal == Renewal::Renewed {
                return;
            }
            self.look(services, hook_url, &renewal).await;
        }
    }

    /// What works but cannot be renewed is well for a while only.
    async fn look(
        &self,
        services: &Services,
        hook_url: Option<&str>,
        renewal: &Renewal,
    ) -> ChannelHealth {
        let mut health = self.check(services, hook_url, CHECK_TIMEOUT).await;
        if let (Renewal::Failing(why), HealthState::Ok) = (renewal, health.state) {
            health.state = HealthState::Limited;
            health.why = why.clone();
        }
        self.note(services, health.state, &reason(&health)).await;
        if matches!(health.state, HealthState::Ok | HealthState::Limited) {
            self.note_quota(services, &health.quota).await;
        }
        health
    }

    /// Stores how much of the month's messages is used, if that changed.
    async fn note_quota(&self, services: &Services, quota: &str) {
        if self.account.setting(QUOTA_NOTE) == quota {
            return;
        }
        let (channel, value) = (self.channel.id, quota.to_owned());
        let rule = RecordAccountHint { channel, name: QUOTA_NOTE, value };
        if let Err(error) = services.decide(&self.app, rule).await {
            tracing::warn!(channel.id = channel.0, error = %chain(&error), "failed to store quota");
        }
    }

    /// Has the service bring what happens here.
    pub(super) async fn set_hook(&self, services: &Services, url: &str) {
        let step = match self.provider {
            Provider::Telegram => Some(telegram::set_hook(url, &self.credentials)),
            // Without a business account somebody does it at Meta.
            Provider::Whatsapp => whatsapp::subscribe(url, &self.credentials),
            Provider::Line => Some(line::set_hook(url, &self.credentials)),
            // Where events are brought is set at Meta; whose they are is set here.
            Provider::Messenger | Provider::Instagram => {
                Some(messenger::subscribe(self.provider, &self.credentials))
            }
            Provider::Email => None,
        };
        if let Some(step) = step {
            self.set_up(services, &step).await;
        }
    }

    /// Has it bring nothing: it is asked instead.
    pub(super) async fn remove_hook(&self, services: &Services) {
        if self.provider == Provider::Telegram {
            self.set_up(services, &telegram::remove_hook(&self.credentials)).await;
        }
    }

    async fn set_up(&self, services: &Services, step: &Step) {
        let report = self.call(services, step, CHECK_TIMEOUT).await;
        if let Err(failed) = &report.outcome {
            let (id, why) = (self.channel.id, &failed.detail);
            tracing::warn!(channel.id = id.0, "channel {id} is not set up: {why}");
        }
    }

    /// Keeps how the channel is, if that is news.
    pub(crate) async fn note(&self, services: &Services, state: HealthState, reason: &str) {
        let state = match state {
            HealthState::Ok => ProviderState::Ok,
            HealthState::Limited => ProviderState::Limited,
            HealthState::Unauthorized => ProviderState::Unauthorized,
            HealthState::Misconfigured => ProviderState::Misconfigured,
            HealthState::Unreachable => ProviderState::Unreachable,
        };
        let (id, reason) = (self.channel.id, reason.to_owned());
        let rule = RecordChannelHealth { channel: id, state, reason };
        match services.decide(&self.app, rule).await {
            Ok(false) => {}
            Ok(true) => {
                let word = state.as_str();
                tracing::info!(channel.id = id.0, "channel {id} is {word}");
            }
            Err(error) => {
                tracing::warn!(channel.id = id.0, "channel {id} is not noted: {}", chain(&error));
            }
        }
    }
}

/// What is wrong, and what to do about it.
pub(crate) fn reason(health: &ChannelHealth) -> String {
    [health.why.as_str(), health.todo.as_str()].join(" ").trim().to_owned()
}
