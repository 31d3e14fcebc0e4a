//! Which templates a channel has at its service: asked for page by page, and shortly remembered
//! (D-0149).

use std::sync::Arc;
use std::time::Duration;

use confab_domain::limits;
use confab_wire::channels::{self as wire, Provider, Verdict, whatsapp};

use super::calling::StepAnswer;
use super::linked::LinkedChannel;
use super::template_cache::Templates;
use crate::clock;
use crate::services::Services;

/// How long a list is shown before the service is asked again.
const KEPT_S: i64 = 60;
/// How old a list may be in which a template is missing that somebody names.
const MISSED_S: i64 = 5;
const PAGE_TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(20);

/// Why there are none to be had.
pub(crate) enum NoTemplates {
    /// Channels of this kind have none.
    OtherKind,
    /// Nobody said which account's they are.
    NoBusiness,
    /// The service does not tell, in these words.
    Refused(String),
    /// The service does not answer.
    NotNow,
}

impl LinkedChannel {
    /// All that are approved.
    pub(crate) async fn templates(&self, services: &Services) -> Result<Templates, NoTemplates> {
        self.templates_within(services, KEPT_S).await
    }

    /// Those of this name, one for each of its languages. One that was approved just now is found.
    pub(crate) async fn templates_named(
        &self,
        services: &Services,
        name: &str,
    ) -> Result<Vec<whatsapp::Template>, NoTemplates> {
        let named = |all: &Templates| -> Vec<_> {
            all.iter().filter(|it| it.name == name).cloned().collect()
        };
        let found = named(&self.templates_within(services, KEPT_S).await?);
        if !found.is_empty() {
            return Ok(found);
        }
        Ok(named(&self.templates_within(services, MISSED_S).await?))
    }

    async fn templates_within(
        &self,
        services: &Services,
        seconds: i64,
    ) -> Result<Templates, NoTemplates> {
        if self.provider != Provider::Whatsapp {
            return Err(NoTemplates::OtherKind);
        }
        if self.is_printed() {
            return Ok(Arc::new([]));
        }
        let business = self.account.setting("business_id");
        let (known, channel) = (services.known_templates(), self.channel.id);
        if let Some(found) = known.get(channel, business, seconds, clock::now()) {
            return Ok(found);
        }
        let asked = tokio::time::timeout(TIMEOUT, self.listed_templates(services)).await;
        let templates: Templates = asked.unwrap_or(Err(NoTemplates::NotNow))?.into();
        known.put(channel, business, templates.clone(), clock::now());
        Ok(templates)
    }

    async fn listed_templates(
        &self,
        services: &Services,
    ) -> Result<Vec<whatsapp::Template>, NoTemplates> {
        let (mut templates, mut after) = (Vec::new(), None::<String>);
        for _ in 0..limits::TEMPLATE_PAGES_MAX {
            let step = whatsapp::list_templates(after.as_deref(), &self.credentials);
            let step = step.ok_or(NoTemplates::NoBusiness)?;
            let answer = StepAnswer::of(&self.call(services, &step, PAGE_TIMEOUT).await);
            let page = match answer.status {
                Some(200) => whatsapp::read_templates(&answer.body).ok(),
                Some(status) => return Err(self.untold(status, &answer.body)),
                None => None,
            };
            let page = page.ok_or(NoTemplates::NotNow)?;
            templates.extend(page.templates);
            match page.after {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        Ok(templates)
    }

    /// A token that may send need not be good for this: it says nothing about the channel's health.
    fn untold(&self, status: u16, body: &[u8]) -> NoTemplates {
        match wire::verdict(self.provider, status, body) {
            Verdict::BadToken { why, .. } | Verdict::Never { why, .. } => {
                NoTemplates::Refused(self.masked(&why))
            }
            _ => NoTemplates::NotNow,
        }
    }
}
