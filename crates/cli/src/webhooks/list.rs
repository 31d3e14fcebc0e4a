//! `confab webhooks list`: lists deliveries, newest first.

use clap::{Arg, ArgMatches, Command, value_parser};

use super::answers::DeliveriesAnswer;
use super::arguments::{given, sub_command};
use super::filters::{filter_flags, filters};
use super::shown::{DELIVERY_HEADS, delivery_row, table};
use crate::command_error::CommandError;
use crate::remote::server_api::{CALL_LIMIT, ServerApi};

const LIMIT_MAX: i64 = 100;

pub(super) fn command() -> Command {
    let limit = Arg::new("limit")
        .long("limit")
        .value_name("COUNT")
        .value_parser(value_parser!(i64).range(1..=LIMIT_MAX))
        .default_value("20")
        .help("Maximum number of deliveries, at most 100");
    let before = Arg::new("before")
        .long("before")
        .value_name("CURSOR")
        .help("Continue an earlier list: the cursor that it printed");
    sub_command("list", "List deliveries, newest first").args(filter_flags()).args([limit, before])
}

pub(super) async fn run(matches: &ArgMatches, api: &ServerApi) -> Result<(), CommandError> {
    let limit = matches.get_one::<i64>("limit").map_or(LIMIT_MAX as usize, |it| *it as usize);
    let mut cursor = given(matches, "before").map(str::to_owned);
    if matches.get_flag("json") {
        // Print one response unchanged: it may be short, and its `next` is the cursor of the next
        // page.
        let query = query(matches, limit, cursor.as_deref());
        say!("{}", api.get("/deliveries", &query, CALL_LIMIT).await?.text());
        return Ok(());
    }
    let mut rows = Vec::new();
    loop {
        let query = query(matches, limit - rows.len(), cursor.as_deref());
        let page: DeliveriesAnswer = api.get("/deliveries", &query, CALL_LIMIT).await?.read()?;
        rows.extend(page.deliveries.iter().map(delivery_row));
        if page.next.is_some() && page.next == cursor {
            return Err("the server returned the same cursor twice".into());
        }
        cursor = page.next;
        if cursor.is_none() || rows.len() >= limit {
            break;
        }
    }
    match rows.is_empty() {
        true if filters(matches).is_empty() && given(matches, "before").is_none() => {
            say!("There are no deliveries yet. Send an example with `confab trigger KIND`.");
        }
        true => say!("No delivery matches the filters."),
        false => say!("{}", table(DELIVERY_HEADS, &rows)),
    }
    if let Some(cursor) = cursor {
        eprintln!("There may be more; continue with --before {cursor}");
    }
    Ok(())
}

fn query(matches: &ArgMatches, limit: usize, before: Option<&str>) -> Vec<(&'static str, String)> {
    let mut query = filters(matches);
    query.push(("limit", limit.to_string()));
    query.extend(before.map(|cursor| ("before", cursor.to_owned())));
    query
}
