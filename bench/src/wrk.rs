//! wrk: the load generator, driven by small scripts.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::fill::{self, BIG_ROOM};
use crate::process::Server;

/// A measured kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Load {
    HttpCeiling,
    DurableCeiling,
    PostSpread,
    PostOneRoom,
    FirstPage,
    DeepPage,
    /// Measured by `pgbench` instead.
    BareInserts,
    /// Measured by `pgbench` instead.
    OneByOne,
}

/// Result of one run of wrk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WrkResult {
    pub(crate) per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) cpu_us: f64,
}

impl WrkResult {
    /// Returns a result that has only a rate.
    pub(crate) fn rate(per_second: f64) -> Self {
        Self { per_second, p50_ms: f64::NAN, p99_ms: f64::NAN, cpu_us: f64::NAN }
    }
}

impl Load {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::HttpCeiling => "(a) HTTP ceiling",
            Self::DurableCeiling => "(b) durable ceiling",
            Self::PostSpread => "(c) post_comment, 1,000 rooms",
            Self::PostOneRoom => "(c) post_comment, one room",
            Self::FirstPage => "(d) load_comments, first page",
            Self::DeepPage => "(d) load_comments, page 50,000",
            Self::BareInserts => "(g) pgbench, the same rows in commits of the same size",
            Self::OneByOne => "(h) pgbench, one transaction per message, 16 connections",
        }
    }

    /// Whether the requests go to the ceilings server.
    pub(crate) fn is_ceiling(self) -> bool {
        matches!(self, Self::HttpCeiling | Self::DurableCeiling)
    }

    fn script(self) -> String {
        let rooms = fill::ROOMS;
        let post = |path: &str, room: &str| {
            format!(
                r#"request = function()
  local body = '{{"user_id":"user-0","room_id":"' .. {room} ..
    '","message":"hello from the load generator"}}'
  return wrk.format("POST", "{path}", nil, body)
end"#
            )
        };
        let spread = format!(r#""room-" .. math.random(0, {})"#, rooms - 1);
        let get = |query: &str| {
            format!(
                r#"request = function()
  return wrk.format("GET", "/api/v2.1/rest/load_comments?room_id=" .. {query})
end"#
            )
        };
        let body = match self {
            Self::HttpCeiling => post("/ceiling/http", &spread),
            Self::DurableCeiling => post("/ceiling/durable", &spread),
            Self::PostSpread => post("/api/v2.1/rest/post_comment", &spread),
            Self::PostOneRoom => post("/api/v2.1/rest/post_comment", r#""room-0""#),
            Self::FirstPage => get(&spread),
            Self::DeepPage => get(&format!(r#""{BIG_ROOM}&page=" .. math.random(49990, 50000)"#)),
            Self::BareInserts | Self::OneByOne => String::new(),
        };
        format!(
            "wrk.headers['service-sdk-app-id'] = '{}'\n\
             wrk.headers['service-sdk-secret'] = '{}'\n\
             wrk.headers['content-type'] = 'application/json'\n\
             init = function(args) math.randomseed(os.time()) end\n{body}\n",
            fill::APP,
            fill::SDK_SECRET
        )
    }
}

/// Maximum number of attempts to measure a ceiling.
const TRIES: usize = 3;

/// Runs wrk. Fails if any response is an error, because rejections are fast and meaningless, or if
/// a connection is lost. Only a ceiling is measured again after a lost connection, because the
/// ceilings server is not under test.
pub(crate) fn run(
    load: Load,
    server: &Server,
    connections: usize,
    seconds: u32,
    folder: &Path,
) -> Result<WrkResult, Failure> {
    let mut tries = 1;
    loop {
        let (text, cpu) = once(load, server, connections, seconds, folder)?;
        if !text.contains("Non-2xx") && !text.contains("Socket errors") {
            return seen(&text, cpu);
        }
        if text.contains("Non-2xx") || !load.is_ceiling() || tries == TRIES {
            return Err(format!("{}: not every answer was a success\n{text}", load.name()).into());
        }
        tries += 1;
        eprintln!("{}: a connection was lost, measured again", load.name());
    }
}

/// Returns wrk's output and the server's CPU time during the run, in seconds.
fn once(
    load: Load,
    server: &Server,
    connections: usize,
    seconds: u32,
    folder: &Path,
) -> Result<(String, f64), Failure> {
    let script: PathBuf = folder.join("load.lua");
    std::fs::write(&script, load.script())?;
    let cpu_before = server.cpu_seconds()?;
    let output = Command::new("wrk")
        .args(["--latency", "-t1", &format!("-c{connections}"), &format!("-d{seconds}s")])
        .arg("-s")
        .arg(&script)
        .arg(format!("http://{}", server.address))
        .output()
        .map_err(|error| format!("wrk cannot be run ({error}); apt-get install wrk"))?;
    let cpu = server.cpu_seconds()? - cpu_before;
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), cpu))
}

fn seen(text: &str, cpu: f64) -> Result<WrkResult, Failure> {
    let requests: f64 = number_before(text, " requests in")?;
    // Percentages before the heading of the latency distribution do not belong to the distribution.
    let (_, distribution) = text.split_once("Latency Distribution").ok_or("no distribution")?;
    Ok(WrkResult {
        per_second: after(text, "Requests/sec:")?.parse()?,
        p50_ms: milliseconds(after(distribution, "50%")?)?,
        p99_ms: milliseconds(after(distribution, "99%")?)?,
        cpu_us: cpu / requests * 1_000_000.0,
    })
}

fn after<'a>(text: &'a str, label: &str) -> Result<&'a str, Failure> {
    let rest = text.split_once(label).ok_or_else(|| format!("wrk printed no {label}: {text}"))?.1;
    Ok(rest.split_whitespace().next().unwrap_or_default())
}

fn number_before(text: &str, label: &str) -> Result<f64, Failure> {
    let before = text.split_once(label).ok_or("wrk printed no count")?.0;
    Ok(before.split_whitespace().last().unwrap_or_default().parse()?)
}

fn milliseconds(text: &str) -> Result<f64, Failure> {
    for (unit, factor) in [("us", 0.001), ("ms", 1.0), ("s", 1000.0)] {
        if let Some(number) = text.strip_suffix(unit) {
            return Ok(number.parse::<f64>()? * factor);
        }
    }
    Err(format!("odd time {text}").into())
}
