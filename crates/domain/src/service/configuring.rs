//! Configuring: what an app is set to, and where it is told of what happens (spec 4.2, D-0034).

use crate::app::App;
use crate::decision::change::{Change, ServiceChange};
use crate::decision::context::Context;
use crate::decision::facts::Facts;
use crate::decision::question::{OmniQuestion, Question};
use crate::decision::rule::{Decision, Rule};
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::refusal::Refusal;
use crate::service::settings::Settings;
use crate::webhooks::endpoint::DeliveryPolicy;
use crate::webhooks::notice_kind::NoticeKind;
use crate::webhooks::subscribing::{self, PutEndpoint, WantedEndpoint};

/// A webhook as its owner wants it; what is `None` stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookWish {
    /// What it is told of.
    pub kind: NoticeKind,
    /// The address, which was vetted.
    pub url: Option<String>,
    /// Whether anything is made for it.
    pub is_enabled: Option<bool>,
    /// What the address is called in the request.
    pub url_field: &'static str,
}

/// Registers a webhook, moves it, or switches it on or off. How the receiver wants to be called
/// stays as it was; who switches it off keeps the address.
pub struct RegisterHook {
    pub wish: HookWish,
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
        // Who names an address and nothing else wants to be told.
        let is_enabled = wish.is_enabled.unwrap_or(true);
        let url = wish.url.clone().or_else(|| before.as_ref().map(|it| it.url.clone()));
        let decision = match url {
            Some(url) => {
                let policy = before.map_or_else(DeliveryPolicy::default, |it| it.policy);
                let wanted = WantedEndpoint { kind: wish.kind, url, is_enabled, policy };
                PutEndpoint { wanted }.decide(context, facts, stamp)?.map(drop)
            }
            None if is_enabled => {
                return Err(FieldProblem::new(wish.url_field, "is required").into());
            }
            // There is nothing to be switched off.
            None => Decision::nothing(()),
        };
        // Those whom a bot answered may have to be served by people now.
        Ok(decision.allocating(true))
    }
}

/// Switches a registered webhook on or off.
pub struct SwitchHook {
    pub kind: NoticeKind,
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
        let wish = HookWish { kind, url: None, is_enabled, url_field: "" };
        RegisterHook { wish }.decide(context, facts, stamp)
    }
}

/// Sets some of an app's settings; what they all are then.
pub struct SetSettings {
    pub wanted: Vec<(&'static str, String)>,
}

impl SetSettings {
    /// One switch.
    pub fn switch(name: &'static str, is_on: bool) -> Self {
        Self { wanted: vec![(name, is_on.to_string())] }
    }
}

impl Rule for SetSettings {
    type Outcome = Settings;

    fn question(&self, _: &App) -> Question {
        let omni = OmniQuestion { finds_settings: true, ..OmniQuestion::default() };
        Question { omni: Some(omni), ..Question::default() }
    }

    fn decide(
        &self,
        _: &Context,
        facts: &Facts,
        _: &Stamp<'_>,
    ) -> Result<Decision<Settings>, Refusal> {
        let mut settings = facts.omni.settings.clone();
        let mut changes: Vec<Change> = Vec::new();
        for (name, value) in &self.wanted {
            settings = settings.with(name, value);
            let (name, value) = ((*name).to_owned(), Some(value.clone()));
            changes.push(ServiceChange::SetSetting { name, value }.into());
        }
        // More agents may be free by them.
        Ok(Decision::new(changes, settings).allocating(true))
    }
}

#[cfg(test)]
mod tests;
