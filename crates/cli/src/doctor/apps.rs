//! Checks the apps of the running server: failing endpoints, and channels that do not work.

use confab_domain::app::App;
use confab_runtime::config::Config;
use confab_runtime::counted::counted;
use url::Url;

use super::finding::{Findings, Level};
use crate::command_error::CommandError;
use crate::inert_text::inert_line;
use crate::remote::channels::{ChannelState, standings};
use crate::remote::server_api::{AppCredentials, CALL_LIMIT, ServerApi};
use crate::webhooks::{EndpointsAnswer, ShownEndpoint};

/// Maximum number of apps to check, oldest first.
const APPS_MAX: usize = 100;

pub(super) async fn check(config: &Config, server: &Url, apps: Vec<App>, findings: &mut Findings) {
    let brand = config.brands.first().map_or("SERVICE", String::as_str);
    let count = apps.len();
    let before = findings.0.len();
    for app in apps.into_iter().take(APPS_MAX) {
        let name = app.code.as_str().to_owned();
        let credentials = AppCredentials {
            brand: brand.to_owned(),
            app_code: name.clone(),
            secret_key: app.secret_key,
        };
        let checked = match ServerApi::new(server.clone(), credentials) {
            Ok(api) => check_app(&name, &api, findings).await,
            Err(error) => Err(error),
        };
        if let Err(error) = checked {
            let found = format!("{name}: {}", confab_runtime::failures::chain(&*error));
            findings.trouble(
                "apps",
                found,
                "check that this server uses this data, and see its log",
            );
        }
    }
    for check in ["endpoints", "channels"] {
        let is_wrong = findings.0[before..].iter().any(|it| [check, "apps"].contains(&it.check));
        if !is_wrong {
            findings.ok(check, all_well(count.min(APPS_MAX)));
        }
    }
    if count > APPS_MAX {
        findings.skipped("apps", format!("{} of {count} apps were not checked", count - APPS_MAX));
    }
}

fn all_well(apps: usize) -> String {
    match apps {
        0 => "there are no apps yet".to_owned(),
        1 => "no problems in the only app".to_owned(),
        apps => format!("no problems in all {apps} apps"),
    }
}

async fn check_app(
    name: &str,
    api: &ServerApi,
    findings: &mut Findings,
) -> Result<(), CommandError> {
    let answer: EndpointsAnswer = api.get("/endpoints", &[], CALL_LIMIT).await?.read()?;
    for endpoint in answer.endpoints.iter().filter(|it| it.state == "failing") {
        let ShownEndpoint { kind, url, failing_since, waiting, .. } = endpoint;
        let since = failing_since.as_deref().unwrap_or("an unknown time");
        let (kind, url) = (inert_line(kind), inert_line(url));
        findings.warning(
            "endpoints",
            format!(
                "{name}: {kind} at {url} has been failing since {since}; {waiting} deliveries \
                 are waiting"
            ),
            format!("see the receiver's response with confab webhooks test {kind} --app {name}"),
        );
    }
    for ChannelState { id, kind, state, reason, given_up_events } in standings(api).await? {
        if given_up_events > 0 {
            let events = counted(given_up_events as usize, "event");
            let found = format!(
                "{name}: {events} of customers failed permanently in channel {id} ({kind})"
            );
            let filter = format!("--kind channel_event --standing failed --app {name}");
            let advice = format!(
                "see the reasons with confab webhooks list {filter} and confab webhooks show \
                 (events of blocked customers count as well); retry with confab webhooks replay \
                 {filter}"
            );
            findings.warning("channels", found, advice);
        }
        let level = match state.as_str() {
            "ok" | "off" => continue,
            "limited" | "unreachable" => Level::Warning,
            _ => Level::Trouble,
        };
        let (state, reason) = (inert_line(&state), inert_line(&reason));
        let found = format!("{name}: channel {id} ({kind}) is {state}: {reason}");
        let advice = format!(
            "see confab channels check {id} --app {name}; replace a rejected token with confab \
             channels set"
        );
        findings.add("channels", level, found, advice);
    }
    Ok(())
}
