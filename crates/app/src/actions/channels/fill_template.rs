//! Fills in a channel's message template (design/channels).

use confab_domain::channels::template::{FilledTemplate, Template};
use confab_domain::field_problem::FieldProblem;
use confab_providers::whatsapp;
use confab_wire::omnichannel_api::channels::templates::TemplateInput;

use crate::channels::linked::LinkedChannel;
use crate::channels::templates::NoTemplates;
use crate::services::Services;

/// Reason why a template cannot be sent.
pub enum TemplateRefused {
    /// The list of templates could not be loaded.
    None(NoTemplates),
    /// The template does not exist, or its values are invalid.
    Wrong(Vec<FieldProblem>),
}

impl From<NoTemplates> for TemplateRefused {
    fn from(none: NoTemplates) -> Self {
        Self::None(none)
    }
}

impl From<Vec<FieldProblem>> for TemplateRefused {
    fn from(problems: Vec<FieldProblem>) -> Self {
        Self::Wrong(problems)
    }
}

/// Returns the requested template with its values filled in.
pub async fn fill_template(
    services: &Services,
    linked: &LinkedChannel,
    wanted: &TemplateInput,
) -> Result<FilledTemplate, TemplateRefused> {
    let named = linked.templates_named(services, &wanted.name).await?;
    let template = chosen(&named, wanted).map_err(|problem| vec![problem])?;
    Ok(whatsapp::fill(template, &wanted.values)?)
}

fn chosen<'a>(named: &'a [Template], wanted: &TemplateInput) -> Result<&'a Template, FieldProblem> {
    let languages = || named.iter().map(|it| it.language.as_str()).collect::<Vec<_>>().join(", ");
    match (named, &wanted.language) {
        ([], _) => {
            let problem = "is no approved template of the channel";
            Err(FieldProblem::new("template_name", problem))
        }
        ([only], None) => Ok(only),
        (_, None) => {
            let problem = format!("is required: the template has {}", languages());
            Err(FieldProblem::new("language", problem))
        }
        (_, Some(language)) => {
            let found = named.iter().find(|it| it.language.eq_ignore_ascii_case(language));
            found.ok_or_else(|| {
                let problem = format!("is not one of the template's: {}", languages());
                FieldProblem::new("language", problem)
            })
        }
    }
}
