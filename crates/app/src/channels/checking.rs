//! Health checks of channels. The result is stored and shown to agents who can fix problems.

use std::time::Duration;

use confab_delivery::channels::calling::StepAnswer;
use confab_domain::channels::provider_health::ProviderState;
use confab_domain::channels::stopping::RecordChannelHealth;
use confab_providers::{
    self as providers, ChannelHealth, HealthState, Provider, Step, line, messenger, telegram,
    whatsapp,
};
use confab_runtime::failures::chain;

use super::linked::{LinkedChannel, QUOTA_NOTE};
use super::mail;
use super::renewing::Renewal;
use crate::decide::Decisions;
use crate::services::Services;

/// Interval of health checks (channel facts 4.1).
const CHECK_INTERVAL: Duration = Duration::from_secs(300);
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

impl LinkedChannel {
    /// Asks the provider for the channel's health. `hook_url` is the webhook URL that should be
    /// set.
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
        for step in providers::check(self.provider, &self.credentials) {
            let report = self.call(&step, timeout).await;
            answers.push(StepAnswer::of(&report));
        }
        let answers: Vec<_> = answers.iter().map(StepAnswer::checked).collect();
        providers::health(self.provider, &answers, hook_url)
    }

    /// Renews the channel's token if it is due, then checks the channel's health and stores the
    /// result.
    pub async fn checked(&self, services: &Services) -> ChannelHealth {
        let renewal = self.renew(services, true).await;
        let newer = match renewal {
            Renewal::Renewed => Self::load(services, self.channel.id).await.ok().flatten(),
            Renewal::Good | Renewal::Failing(_) => None,
        };
        let linked = newer.as_ref().unwrap_or(self);
        let hook_url = linked.hook_url();
        linked.check_and_store(services, hook_url.as_deref(), &renewal).await
    }

    /// Checks the channel immediately and then at intervals. Returns when its token was renewed,
    /// because the channel's task is restarted then.
    pub(super) async fn keep_checking(&self, services: &Services, hook_url: Option<&str>) {
        let mut every = tokio::time::interval(CHECK_INTERVAL);
        loop {
            every.tick().await;
            let renewal = self.renew(services, false).await;
            if renewal == Renewal::Renewed {
                return;
            }
            self.check_and_store(services, hook_url, &renewal).await;
        }
    }

    /// Checks the channel's health and stores it. A working token that cannot be renewed counts as
    /// limited.
    async fn check_and_store(
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
        self.note(services.decisions(), health.state, &reason(&health)).await;
        if matches!(health.state, HealthState::Ok | HealthState::Limited) {
            self.note_quota(services, &health.quota).await;
        }
        health
    }

    /// Stores the used share of the monthly message quota if it changed.
    async fn note_quota(&self, services: &Services, quota: &str) {
        if self.account.setting(QUOTA_NOTE) == quota {
            return;
        }
        if let Err(error) =
            self.record_hint(services.decisions(), QUOTA_NOTE, quota.to_owned()).await
        {
            tracing::warn!(
                channel.id = self.channel.id.0,
                error = %chain(&error),
                "failed to store used message quota"
            );
        }
    }

    /// Registers the webhook URL with the provider.
    pub(super) async fn set_hook(&self, url: &str) {
        let step = match self.provider {
            Provider::Telegram => Some(telegram::set_hook(url, &self.credentials)),
            // Without a business account, the operator must register the webhook URL at Meta.
            Provider::Whatsapp => whatsapp::subscribe(url, &self.credentials),
            Provider::Line => Some(line::set_hook(url, &self.credentials)),
            // The webhook URL itself is configured at Meta; here only the page or account is
            // subscribed.
            Provider::Messenger | Provider::Instagram => {
                Some(messenger::subscribe(self.provider, &self.credentials))
            }
            Provider::Email => None,
        };
        if let Some(step) = step {
            self.set_up(&step).await;
        }
    }

    /// Removes the webhook, so that the provider can be polled.
    pub(super) async fn remove_hook(&self) {
        if self.provider == Provider::Telegram {
            self.set_up(&telegram::remove_hook(&self.credentials)).await;
        }
    }

    async fn set_up(&self, step: &Step) {
        let report = self.call(step, CHECK_TIMEOUT).await;
        if let Err(failed) = &report.outcome {
            let (id, reason) = (self.channel.id, failed.detail.as_str());
            tracing::warn!(channel.id = id.0, reason, "failed to register or remove webhook");
        }
    }

    /// Stores the channel's health if it changed.
    pub(crate) async fn note(&self, decisions: &Decisions, state: HealthState, reason: &str) {
        let state = match state {
            HealthState::Ok => ProviderState::Ok,
            HealthState::Limited => ProviderState::Limited,
            HealthState::Unauthorized => ProviderState::Unauthorized,
            HealthState::Misconfigured => ProviderState::Misconfigured,
            HealthState::Unreachable => ProviderState::Unreachable,
        };
        let (id, reason) = (self.channel.id, reason.to_owned());
        let rule = RecordChannelHealth { channel: id, state, reason };
        match decisions.decide(&self.principal(), rule).await {
            Ok(false) => {}
            Ok(true) => {
                tracing::info!(channel.id = id.0, state = state.as_str(), "channel health changed");
            }
            Err(error) => {
                tracing::warn!(
                    channel.id = id.0,
                    error = %chain(&error),
                    "failed to store channel health"
                );
            }
        }
    }
}

/// Returns the explanation and the advice of a health check as one text.
pub(crate) fn reason(health: &ChannelHealth) -> String {
    [health.why.as_str(), health.todo.as_str()].join(" ").trim().to_owned()
}
