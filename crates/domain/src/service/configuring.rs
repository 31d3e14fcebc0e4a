//! Configuring: what an app is set to, and where it is told of what happens (spec 4.2, D-0034).

use crate::app::App;
use crate::decision::change::{Change, ServiceChange};
use crate::decision::facts::Facts;
use crate::decision::question::{OmniQuestion, Question};
use crate::decision::rule::Decision;
use crate::decision::stamp::Stamp;
use crate::field_problem::FieldProblem;
use crate::refusal::Refusal;
use crate::service::settings::Settings;
use crate::webhooks::endpoint::DeliveryPolicy;
use crate::webhooks::notice_kind::NoticeKind;
use crate::webhooks::subscribing::{self, WantedEndpoint};

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

/// What `register` wants to know.
pub fn hook_question(app: &App, kind: NoticeKind) -> Question {
    subscribing::question(app, kind)
}

/// Registers a webhook, moves it, or switches it on or off. How the receiver wants to be called
/// stays as it was; who switches it off keeps the address.
pub fn register(
    facts: &Facts,
    app: &App,
    wish: &HookWish,
    stamp: &Stamp<'_>,
) -> Result<Decision<()>, Refusal> {
    let before = subscribing::found(facts, wish.kind, "");
    // Who names an address and nothing else wants to be told.
    let was_enabled = before.as_ref().is_none_or(|it| it.is_enabled);
    let is_enabled = wish.is_enabled.unwrap_or(wish.url.is_some() || was_enabled);
    let url = wish.url.clone().or_else(|| before.as_ref().map(|it| it.url.clone()));
    let Some(url) = url else {
        // There is nothing to be switched off.
        let missing = FieldProblem::new(wish.url_field, "is required");
        return if is_enabled { Err(missing.into()) } else { Ok(Decision::nothing(())) };
    };
    let policy = before.map_or_else(DeliveryPolicy::default, |it| it.policy);
    let wanted = WantedEndpoint { kind: wish.kind, url, is_enabled, policy };
    let Decision { changes, .. } = subscribing::put(facts, app, &wanted, stamp)?;
    Ok(Decision::new(changes, ()))
}

/// Switches a registered webhook on or off.
pub fn switch(
    facts: &Facts,
    app: &App,
    kind: NoticeKind,
    is_enabled: bool,
    stamp: &Stamp<'_>,
) -> Result<Decision<()>, Refusal> {
    subscribing::registered(facts, kind)?;
    let wish = HookWish { kind, url: None, is_enabled: Some(is_enabled), url_field: "" };
    register(facts, app, &wish, stamp)
}

/// What `set` wants to know.
pub fn settings_question() -> Question {
    let omni = OmniQuestion { finds_settings: true, ..OmniQuestion::default() };
    Question { omni: Some(omni), ..Question::default() }
}

/// Sets some of an app's settings; what they all are then.
pub fn set(facts: &Facts, wanted: &[(&'static str, String)]) -> Decision<Settings> {
    let mut settings = facts.omni.settings.clone();
    let mut changes: Vec<Change> = Vec::new();
    for (name, value) in wanted {
        settings = settings.with(name, value);
        let (name, value) = ((*name).to_owned(), Some(value.clone()));
        changes.push(ServiceChange::SetSetting { name, value }.into());
    }
    Decision::new(changes, settings)
}

#[cfg(test)]
mod tests;
