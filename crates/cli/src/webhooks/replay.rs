//! `confab webhooks replay`: sends one delivery again, or all that a filter selects.

use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value, json};

use super::answers::{DeliveryAnswer, ReplayAnswer};
use super::arguments::{app_again, given, sub_command};
use super::filters::{filter_flags, filter_names, filters};
use super::show::id_argument;
use super::shown::print;
use crate::command_error::CommandError;
use crate::inert_text::inert_line;
use crate::remote::server_api::{AnswerData, CALL_LIMIT, CallError, ServerApi};

/// Time limit of a call that replays up to a thousand deliveries.
const RANGE_CALL_LIMIT: Duration = Duration::from_secs(120);

pub(super) fn command() -> Command {
    let all = Arg::new("all")
        .long("all")
        .action(ArgAction::SetTrue)
        .help("Send all failed deliveries again, without a filter");
    let not_with_id = filter_names().into_iter().chain(["all"]);
    sub_command("replay", "Send one delivery again, or all failed ones that match the filters")
        .arg(id_argument().conflicts_with_all(not_with_id))
        .args(filter_flags())
        .arg(all)
        .mut_arg("standing", |it| it.help("Only deliveries in this state [default: failed]"))
}

pub(super) async fn run(matches: &ArgMatches, api: &ServerApi) -> Result<(), CommandError> {
    if let Some(id) = matches.get_one::<i64>("id") {
        return one(matches, *id, api).await;
    }
    let filters = filters(matches);
    if filters.is_empty() && !matches.get_flag("all") {
        return Err("name a delivery or a filter such as --kind bot, or use --all to send all \
            failed deliveries again"
            .into());
    }
    let is_json = matches.get_flag("json");
    let progress = |data: &AnswerData, total: u64, is_end: bool| match is_json {
        true => say!("{}", data.text()),
        false if is_end => {}
        false => eprintln!("{total} so far"),
    };
    let total = range(api, &filters, progress).await?;
    if !is_json {
        say!("{}", summary(total, given(matches, "standing")));
    }
    Ok(())
}

fn summary(total: u64, standing: Option<&str>) -> String {
    match (total, standing) {
        (0, None) => {
            "Nothing is sent again: no failed delivery matches. Waiting and parked ones are \
            sent without a replay. To send successful ones again, use --standing delivered."
                .to_owned()
        }
        (0, Some(_)) => "Nothing is sent again: no delivery matches.".to_owned(),
        _ => format!("Deliveries to send again: {total}"),
    }
}

async fn one(matches: &ArgMatches, id: i64, api: &ServerApi) -> Result<(), CommandError> {
    let data = api.post(&format!("/deliveries/{id}/replay"), &json!({}), CALL_LIMIT).await?;
    print(matches, &data, |data| {
        let DeliveryAnswer { delivery } = data.read()?;
        let (id, url) = (delivery.id, inert_line(&delivery.url));
        let show = format!("`confab webhooks show {id}{}`", app_again(matches));
        Ok(format!("Delivery {id} will be sent again to {url}. See the result with {show}."))
    })
}

/// Replays all deliveries that match the filters, page by page. Returns their number.
async fn range(
    api: &ServerApi,
    filters: &[(&str, String)],
    progress: impl Fn(&AnswerData, u64, bool),
) -> Result<u64, CommandError> {
    let (mut total, mut after) = (0, None);
    loop {
        let answered = api.post("/replay", &body(filters, &after), RANGE_CALL_LIMIT).await;
        let data = answered.map_err(|error| stopped(total, error))?;
        let ReplayAnswer { replayed, next } = data.read()?;
        total += replayed;
        progress(&data, total, next.is_none());
        if next.is_none() {
            return Ok(total);
        }
        if next == after {
            return Err("the server returned the same cursor twice".into());
        }
        after = next;
    }
}

fn body(filters: &[(&str, String)], after: &Option<String>) -> Value {
    let given = filters.iter().map(|(name, value)| ((*name).to_owned(), json!(value)));
    let cursor = after.iter().map(|cursor| ("after".to_owned(), json!(cursor)));
    Value::Object(given.chain(cursor).collect::<Map<_, _>>())
}

fn stopped(total: u64, error: CallError) -> CommandError {
    match total {
        0 => error.into(),
        _ => format!("stopped, but {total} deliveries will be sent again: {error}").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replay_request_has_the_filters_and_the_cursor() {
        let filters = [("kind", "bot".to_owned()), ("room_id", "55".to_owned())];
        let first = json!({"kind": "bot", "room_id": "55"});
        assert_eq!(body(&filters, &None), first);
        let second = json!({"kind": "bot", "room_id": "55", "after": "c2"});
        assert_eq!(body(&filters, &Some("c2".to_owned())), second);
        assert_eq!(body(&[], &None), json!({}));
    }

    #[test]
    fn an_id_and_a_filter_cannot_be_given_together() {
        for more in [["--kind", "bot"].as_slice(), &["--all"], &["--until", "x"]] {
            let line = ["replay", "7"].iter().chain(more);
            assert!(command().try_get_matches_from(line).is_err(), "{more:?}");
        }
        assert!(command().try_get_matches_from(["replay", "--all", "--kind", "bot"]).is_ok());
    }
}
