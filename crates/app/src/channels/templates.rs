//! Lists a channel's message templates at its provider, page by page (design/channels).

use std::sync::Arc;
use std::time::Duration;

use confab_delivery::channels::calling::StepAnswer;
use confab_domain::channels::template::Template;
use confab_domain::limits;
use confab_providers::{self as providers, Provider, Verdict, whatsapp};
use confab_runtime::clock;

use super::linked::LinkedChannel;
use super::template_cache::Templates;
use crate::services::Services;

/// Maximum age in seconds of a cached list of templates.
const KEPT_S: i64 = 60;
/// Maximum age in seconds of a cached list that does not contain the requested template.
const MISSED_S: i64 = 5;
const PAGE_TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(20);

/// Reason why templates are not available.
pub enum NoTemplates {
    /// Channels of this kind have no templates.
    OtherKind,
    /// The channel has no business account id.
    NoBusiness,
    /// The provider refused to list the templates, for this reason.
    Refused(String),
    /// The provider does not answer.
    NotNow,
}

impl LinkedChannel {
    /// Returns all approved templates.
    pub async fn templates(&self, services: &Services) -> Result<Templates, NoTemplates> {
        self.templates_within(services, KEPT_S).await
    }

    /// Returns the templates with this name, one for each language. Also finds one that was
    /// approved just now.
    pub(crate) async fn templates_named(
        &self,
        services: &Services,
        name: &str,
    ) -> Result<Vec<Template>, NoTemplates> {
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
        let (known, channel) = (&services.channels().templates, self.channel.id);
        if let Some(found) = known.get(channel, business, seconds, clock::now()) {
            return Ok(found);
        }
        let asked = tokio::time::timeout(TIMEOUT, self.listed_templates()).await;
        let templates: Templates = asked.unwrap_or(Err(NoTemplates::NotNow))?.into();
        known.put(channel, business, templates.clone(), clock::now());
        Ok(templates)
    }

    async fn listed_templates(&self) -> Result<Vec<Template>, NoTemplates> {
        let (mut templates, mut after) = (Vec::new(), None::<String>);
        for _ in 0..limits::TEMPLATE_PAGES_MAX {
            let step = whatsapp::list_templates(after.as_deref(), &self.credentials);
            let step = step.ok_or(NoTemplates::NoBusiness)?;
            let answer = StepAnswer::of(&self.call(&step, PAGE_TIMEOUT).await);
            let page = match answer.status {
                Some(200) => whatsapp::read_templates(&answer.body).ok(),
                Some(status) => return Err(self.refusal(status, &answer.body)),
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

    /// Returns the reason of a refusal. It does not affect the channel's health, because a token
    /// for sending may not be allowed to list templates.
    fn refusal(&self, status: u16, body: &[u8]) -> NoTemplates {
        match providers::verdict(self.provider, status, body) {
            Verdict::BadToken { why, .. } | Verdict::Never { why, .. } => {
                NoTemplates::Refused(self.masked(&why))
            }
            _ => NoTemplates::NotNow,
        }
    }
}
