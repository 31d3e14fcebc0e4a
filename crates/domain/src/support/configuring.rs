//! Configuration of an app: its settings and its webhooks (spec 4.2).

use crate::app::App;
use crate::audit::deed::AuditAction;
use crate::audit::differences::Differences;
use crate::audit::entry::AuditTarget;
use crate::decision::change::{AppChange, Change, SupportChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmnichannelQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::refusal::Refusal;
use crate::support::automation::surveying::SurveyTexts;
use crate::support::settings::Settings;
use crate::webhooks::endpoint::DeliveryPolicy;
use crate::webhooks::event_kind::EventKind;
use crate::webhooks::subscribing::{
    self, EndpointInput, PutEndpoint, RemoveEndpoint, WhichEndpoint,
};

/// A change of the webhook for one kind of event. Fields that are `None` keep their value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookUpdate {
    /// Kind of events that the webhook receives.
    pub kind: EventKind,
    /// New URL, which the caller has validated; empty to remove the webhook.
    pub url: Option<String>,
    /// Whether deliveries are created for it.
    pub is_enabled: Option<bool>,
    /// Name of the URL's field in the request, for error messages.
    pub url_field: &'static str,
}

/// Registers, changes or removes a webhook. The delivery policy stays as it was, and a disabled
/// webhook keeps its URL.
pub struct RegisterHook {
    pub wish: WebhookUpdate,
}

impl Rule for RegisterHook {
    type Outcome = ();

    fn question(&self, app: &App) -> Question {
        subscribing::question(app, self.wish.kind)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let wish = &self.wish;
        if wish.url.is_none() && wish.is_enabled.is_none() {
            return Err(FieldProblem::new(wish.url_field, "is required").into());
        }
        let before = subscribing::found(facts, wish.kind, "");
        if wish.url.as_deref() == Some("") {
            if wish.is_enabled == Some(true) {
                let problem = "must be a URL if the webhook is on";
                return Err(FieldProblem::new(wish.url_field, problem).into());
            }
            let Some(_) = before else { return Ok(Decision::nothing(())) };
            let which = WhichEndpoint::only(wish.kind);
            let removal = RemoveEndpoint { which, has_owner: false };
            // A customer whom the bot answered may need an agent now.
            let decision = removal.decide(context, facts, stamp)?.map(drop);
            return Ok(decision.allocating(true));
        }
        // A request with a URL only enables the webhook.
        let is_enabled = wish.is_enabled.unwrap_or(true);
        let url = wish.url.clone().or_else(|| before.as_ref().map(|it| it.url.clone()));
        let decision = match url {
            Some(url) => {
                let policy = before.map_or_else(DeliveryPolicy::default, |it| it.policy);
                let wanted = EndpointInput { kind: wish.kind, url, is_enabled, policy };
                PutEndpoint { wanted }.decide(context, facts, stamp)?.map(drop)
            }
            None if is_enabled => {
                return Err(FieldProblem::new(wish.url_field, "is required").into());
            }
            // No webhook exists that could be disabled.
            None => Decision::nothing(()),
        };
        // Customers whom the bot answered may need an agent now.
        Ok(decision.allocating(true))
    }
}

/// Enables or disables a registered webhook.
pub struct SwitchHook {
    pub kind: EventKind,
    pub is_enabled: bool,
}

impl Rule for SwitchHook {
    type Outcome = ();

    fn question(&self, app: &App) -> Question {
        subscribing::question(app, self.kind)
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<()>, Refusal> {
        let (kind, is_enabled) = (self.kind, Some(self.is_enabled));
        subscribing::registered(facts, kind)?;
        let wish = WebhookUpdate { kind, url: None, is_enabled, url_field: "" };
        RegisterHook { wish }.decide(context, facts, stamp)
    }
}

/// Changes some of an app's settings. The outcome is all settings.
pub struct SetSettings {
    pub wanted: Vec<(&'static str, String)>,
}

impl SetSettings {
    /// Returns the rule that sets a boolean setting.
    pub fn switch(name: &'static str, is_on: bool) -> Self {
        Self { wanted: vec![(name, is_on.to_string())] }
    }
}

impl Rule for SetSettings {
    type Outcome = Settings;

    fn question(&self, _: &App) -> Question {
        question()
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<Settings>, Refusal> {
        let wanted = self.wanted.iter().map(|(name, value)| (*name, Some(value.clone())));
        let (decision, differences) = set(facts, wanted);
        let is_about = |name: &str| self.wanted.iter().any(|it| it.0 == name);
        let (deed, target) = match () {
            () if is_about(Settings::WIDGET) => (AuditAction::WidgetChanged, "widget"),
            () if is_about(Settings::FORCES_BOT) => (AuditAction::BotChanged, "bot"),
            () => (AuditAction::SettingsChanged, "settings"),
        };
        let target = AuditTarget::nameless(target, "");
        Ok(decision.also(context.audited_change(stamp, deed, target, differences)))
    }
}

/// Changes the name and the settings of an app in one transaction. The outcome is the name and all
/// settings.
#[derive(Default)]
pub struct ChangeSettings {
    /// Display name of the app.
    pub app_name: Option<String>,
    /// Values by name; `None` restores the default.
    pub wanted: Vec<(&'static str, Option<String>)>,
}

impl Rule for ChangeSettings {
    type Outcome = (String, Settings);

    fn question(&self, _: &App) -> Question {
        let mut question = question();
        question.omni.get_or_insert_default().finds_app = true;
        question
    }

    fn decide(
        &self,
        context: &Context,
        facts: &Facts,
        stamp: &Stamp<'_>,
    ) -> Result<Decision<(String, Settings)>, Refusal> {
        let (mut decision, differences) = set(facts, self.wanted.iter().cloned());
        let (amber, red) = decision.outcome.waiting_s();
        if amber >= red {
            return Err(
                FieldProblem::new("waiting_red_s", "must be greater than waiting_amber_s").into()
            );
        }
        if !SurveyTexts::of(&decision.outcome).are_distinct() {
            let problem = "must have three different answers, none of which is a digit";
            return Err(FieldProblem::new("rating_texts", problem).into());
        }
        let before = facts.omni.app.as_ref().map_or(&context.app.name, |app| &app.name);
        let name = self.app_name.as_ref().unwrap_or(before);
        if name != before {
            decision.changes.push(AppChange::Rename { name: name.clone() }.into());
        }
        let differences = differences.of("app_name", before.as_str(), name.as_str());
        let target = AuditTarget::nameless("settings", "");
        let entry =
            context.audited_change(stamp, AuditAction::SettingsChanged, target, differences);
        let decision = decision.also(entry);
        Ok(decision.map(|settings| (name.clone(), settings)))
    }
}

fn question() -> Question {
    let omni = OmnichannelQuestion {
        finds_settings: true,
        locks_settings: true,
        ..OmnichannelQuestion::default()
    };
    Question { omni: Some(omni), ..Question::default() }
}

/// Returns a decision that stores the changed values and has all settings as its outcome, and the
/// differences for the audit log.
fn set(
    facts: &Facts,
    wanted: impl Iterator<Item = (&'static str, Option<String>)>,
) -> (Decision<Settings>, Differences) {
    let mut settings = facts.omni.settings.clone();
    let mut differences = Differences::default();
    let mut changes: Vec<Change> = Vec::new();
    for (name, value) in wanted {
        settings = match &value {
            Some(value) => settings.with(name, value),
            None => settings.without(name),
        };
        let before = facts.omni.settings.get(name);
        if before != value.as_deref() {
            differences = match name {
                // The value is long, and the dashboard has a page for it.
                Settings::WIDGET => differences.secret(name, true),
                _ => differences.of(name, before, value.as_deref()),
            };
            changes.push(SupportChange::SetSetting { name: name.to_owned(), value }.into());
        }
    }
    // The new limits may free agents.
    (Decision::new(changes, settings).allocating(true), differences)
}

#[cfg(test)]
mod tests;
