//! The requests of the dashboard's pages, one at a time.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use bytes::Bytes;
use hyper::Method;
use serde_json::Value;

use super::words::{name, word};
use super::year::{channel_key, email};
use crate::failure::Failure;
use crate::fill::APP;
use crate::line::{Call, Line};
use crate::process::whole_place;

/// Number of measured requests for each call.
const TIMES: usize = 25;

/// Response times of one call.
pub(super) struct Figure {
    pub(super) what: String,
    pub(super) p50_ms: f64,
    pub(super) p95_ms: f64,
}

/// Measures each call of the list, signed in as an admin or as an agent.
pub(super) async fn ask(
    address: SocketAddr,
    binary: &Path,
    place: [&str; 2],
) -> Result<Vec<Figure>, Failure> {
    let mut line = Line::open(address).await?;
    let admin = sign_in(&mut line, binary, place, 0).await?;
    let agent = sign_in(&mut line, binary, place, 7).await?;
    let deep = deep_cursor(&mut line, &admin).await?;
    let (rare, common) = (word(7_777), word(0));
    let (first_name, order) = (name(123), "order 4242");
    let (first_name, _) = first_name.split_once(' ').unwrap_or((&first_name, ""));
    let year = "from=2025-11-20&until=2026-11-16";
    let mut figures = Vec::new();
    for (what, who, path) in [
        ("inbox, all", &admin, "customer_rooms".to_owned()),
        ("inbox, open", &admin, "customer_rooms?status=unresolved".to_owned()),
        ("inbox, unassigned", &admin, "customer_rooms?serve_status=unserved".to_owned()),
        ("inbox, longest wait first", &admin, "customer_rooms?sort=waiting".to_owned()),
        ("inbox, resolved", &admin, "customer_rooms?status=resolved".to_owned()),
        ("inbox, resolved, a page deep", &admin, format!("customer_rooms?status=resolved&{deep}")),
        ("inbox, mine (agent)", &agent, "customer_rooms?served_by=me".to_owned()),
        (
            "inbox, mine and resolved (agent)",
            &agent,
            "customer_rooms?served_by=me&status=resolved".to_owned(),
        ),
        ("counts", &admin, "customer_rooms/counts".to_owned()),
        ("counts (agent)", &agent, "customer_rooms/counts".to_owned()),
        ("board", &admin, "board".to_owned()),
        ("contacts", &admin, "contacts".to_owned()),
        ("contacts (agent)", &agent, "contacts".to_owned()),
        ("search, rare word", &admin, format!("search?q={rare}")),
        ("search, common word", &admin, format!("search?q={common}")),
        ("search, three letters", &admin, "search?q=pem".to_owned()),
        ("search, two words", &admin, format!("search?q={}", order.replace(' ', "+"))),
        ("search, a name", &admin, format!("search?q={first_name}&in=contacts")),
        ("search, common word (agent)", &agent, format!("search?q={common}")),
        ("analytics, summary of a year", &admin, format!("analytics/summary?{year}")),
        ("analytics, a year by day", &admin, format!("analytics/series?{year}")),
        (
            "analytics, a year by day, another zone",
            &admin,
            format!("analytics/series?{year}&zone=Asia/Kolkata"),
        ),
        ("analytics, agents of a year", &admin, format!("analytics/agents?{year}")),
    ] {
        figures.push(measure(&mut line, what, &get(&path, who)).await?);
    }
    // The newest conversations are open: more than an agent is assigned by default.
    let config = "/api/v2/app/config/agent_allocation";
    let room_for_more = r#"{"agent_customers_max":100}"#.to_owned();
    line.call(&Call::by_app(APP, Method::POST, config, room_for_more)).await?;
    for (what, path, body) in [
        (
            "a customer writes",
            format!("/{APP}/api/v2/custom_channel/send"),
            format!(
                r#"{{"identifier_key":"{}","user_id":"customer-1","message":"Hello?"}}"#,
                channel_key(1)
            ),
        ),
        (
            "an agent is chosen",
            "/api/v1/admin/service/allocate_agent".to_owned(),
            r#"{"ignore_availability":true}"#.to_owned(),
        ),
    ] {
        let call = Call::by_app(APP, Method::POST, &path, body);
        figures.push(measure(&mut line, what, &call).await?);
    }
    Ok(figures)
}

fn get(path: &str, token: &str) -> Call {
    let headers = vec![("authorization".to_owned(), token.to_owned())];
    Call { method: Method::GET, path: format!("/api/v2/{path}"), headers, body: Bytes::new() }
}

async fn measure(line: &mut Line, what: &str, call: &Call) -> Result<Figure, Failure> {
    line.call(call).await?;
    let mut took = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let started = Instant::now();
        line.call(call).await?;
        took.push(started.elapsed().as_secs_f64() * 1_000.0);
    }
    took.sort_by(f64::total_cmp);
    let (p50_ms, p95_ms) = (took[TIMES / 2], took[TIMES * 95 / 100]);
    // Print each result at once, in case a later call fails.
    eprintln!("{what}: {p50_ms:.1} ms, p95 {p95_ms:.1}");
    Ok(Figure { what: what.to_owned(), p50_ms, p95_ms })
}

/// Signs an agent in with a link from the command line. Returns the token.
async fn sign_in(
    line: &mut Line,
    binary: &Path,
    place: [&str; 2],
    agent: usize,
) -> Result<String, Failure> {
    let place = whole_place(place);
    let made = Command::new(binary).args(["user", "link", &email(agent)]).args(place).output()?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into());
    }
    let link = String::from_utf8(made.stdout)?;
    let code = link.trim().rsplit(['=', '#']).next().ok_or("no link was made")?.to_owned();
    let headers = [("content-type", "application/json"), ("x-confab", "1")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let body = serde_json::json!({ "code": code }).to_string().into();
    let path = "/api/v2/sign_in".to_owned();
    let cookie = line.cookie(&Call { method: Method::POST, path, headers, body }).await?;
    let (_, token) = cookie.split_once('=').ok_or("the cookie has no value")?;
    Ok(token.to_owned())
}

/// Returns the cursor of the list of resolved conversations after twenty pages.
async fn deep_cursor(line: &mut Line, admin: &str) -> Result<String, Failure> {
    let mut cursor = String::new();
    for _ in 0..20 {
        let path = format!("customer_rooms?status=resolved&limit=50&{cursor}");
        let page: Value = serde_json::from_slice(&line.call(&get(&path, admin)).await?)?;
        let Some(after) = page["meta"]["after"].as_str() else { break };
        cursor = format!("cursor_after={after}");
    }
    Ok(cursor)
}
