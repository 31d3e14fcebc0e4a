//! `confab listen`: shows the webhooks of a running server on a developer's machine as they happen.
//!
//! `following` polls the server and survives its restarts, `forwarding` forwards events, `event`
//! parses and formats them.

mod event;
mod following;
mod forwarding;

use clap::{Arg, ArgMatches, Command};
use confab_runtime::config::Effective;
use url::Url;

use super::command_error::CommandError;
use super::webhooks::{given, kind_flag};
use crate::remote::api_client::parse_url;
use crate::remote::running_server::{AFTER_HELP, server_flags, with_server};
use crate::remote::server_api::ServerApi;
use crate::stop_signals::StopSignals;
use following::EventPosition;

pub(super) fn command() -> Command {
    let forward_to = Arg::new("forward_to")
        .long("forward-to")
        .value_name("URL")
        .help("URL to which every webhook is forwarded, such as http://localhost:3000/hook");
    Command::new("listen")
        .about("Show the webhooks of a running server live, and forward them")
        .long_about(
            "Show the webhooks of a running server live, and forward them.\n\n\
             No endpoint needs to be registered: webhooks of every kind are shown, including \
             those for bots and for gateways of channels, and every message.",
        )
        .after_help(AFTER_HELP)
        .args([forward_to, kind_flag()])
        .args(server_flags())
}

/// Runs `confab listen` until a signal stops it, which counts as success.
pub(super) fn run(matches: &ArgMatches, settings: &Effective) -> Result<(), CommandError> {
    let listening = ListenOptions {
        forward_to: given(matches, "forward_to").map(parse_url).transpose()?,
        kind: given(matches, "kind").map(str::to_owned),
    };
    with_server(matches, settings, async |api: ServerApi| {
        let mut signals = StopSignals::listen();
        tokio::select! {
            ended = listening.until_refused(&api) => ended,
            () = signals.next() => Ok(()),
        }
    })
}

/// The options of `confab listen`.
struct ListenOptions {
    /// URL to which events are forwarded.
    forward_to: Option<Url>,
    /// Kind of events to show; `None` for all.
    kind: Option<String>,
}

impl ListenOptions {
    /// Shows events until the server permanently rejects the polls.
    async fn until_refused(&self, api: &ServerApi) -> Result<(), CommandError> {
        let mut following = EventPosition::start(api).await?;
        eprintln!("{}", self.greeting(api.server()));
        loop {
            for event in following.next_events().await? {
                if self.kind.as_ref().is_some_and(|kind| *kind != event.kind) {
                    continue;
                }
                let mut line = event.line(api.secret_key());
                // One at a time, so that the receiver gets events in order.
                if let Some(url) = &self.forward_to {
                    line.push_str(&format!("  -> {}", forwarding::forward(&event, url).await));
                }
                say!("{line}");
            }
        }
    }

    fn greeting(&self, server: &Url) -> String {
        let kind = self.kind.as_deref().map(|kind| format!(" of {kind}")).unwrap_or_default();
        let target = self.forward_to.as_ref().map(|url| format!(" and forwarding them to {url}"));
        let target = target.unwrap_or_default();
        format!("Listening for webhooks{kind} at {server}{target}. Stop with Ctrl-C.")
    }
}
