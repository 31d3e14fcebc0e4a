//! A comparison with Synapse, a Matrix homeserver: posting messages to one room and loading its
//! newest 20, by the client API. Synapse runs as its documentation describes: one process, SQLite,
//! no rate limits, no federation.
//!
//! If Synapse is not installed, a line is printed and nothing is measured. `pip install
//! matrix-synapse` installs it; `CONFAB_BENCH_SYNAPSE` is the path of a Python in which it is
//! installed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use confab_store::Location;
use hyper::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::failure::Failure;
use crate::fill;
use crate::line::{Call, Line};
use crate::process::{Server, confab};
use crate::tasks::all;

/// Duration of the measurement.
pub(crate) struct LoadPlan {
    seconds: u64,
}

/// The plan for the documented figures.
pub(crate) const FULL: LoadPlan = LoadPlan { seconds: 10 };
/// A shorter plan for development.
pub(crate) const QUICK: LoadPlan = LoadPlan { seconds: 4 };

const SYNAPSE_PORT: u16 = 18_796;
const CONFAB_PORT: u16 = 18_797;
/// Maximum number of concurrent requests.
const AT_ONCE: usize = 16;
const PYTHON: &str = "CONFAB_BENCH_SYNAPSE";

/// Measures both servers on new stores and prints the table.
pub(crate) fn run(binary: &Path, plan: &LoadPlan) -> Result<(), Failure> {
    let python = PathBuf::from(std::env::var(PYTHON).unwrap_or_else(|_| "python3".to_owned()));
    let Some(version) = version(&python) else {
        println!("\nSynapse: not measured, {} has no matrix-synapse ({PYTHON})", python.display());
        return Ok(());
    };
    let work = tempfile::tempdir_in(std::env::current_dir()?)?;
    let data = work.path().join("confab");
    fill::rooms(&Location::folder(&data))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let theirs = runtime.block_on(of_synapse(&python, work.path(), plan))?;
    let ours = runtime.block_on(of_confab(binary, &data, plan))?;
    println!(
        "\n| one room, {AT_ONCE} at once | Confab | Synapse {version} | times |\n|---|---|---|---|"
    );
    let row = |name, ours: f64, theirs: f64| {
        println!("| {name} | {ours:.0}/s | {theirs:.0}/s | {:.0} |", ours / theirs);
    };
    row("messages posted", ours.posted, theirs.posted);
    row("the newest 20 loaded", ours.loaded, theirs.loaded);
    println!("| memory after that | {:.0} MB | {:.0} MB | |", ours.memory_mb, theirs.memory_mb);
    Ok(())
}

/// Rates per second and resident memory of one server.
struct Done {
    posted: f64,
    loaded: f64,
    memory_mb: f64,
}

fn version(python: &Path) -> Option<String> {
    let print = "import synapse; print(synapse.__version__)";
    let output = Command::new(python).args(["-c", print]).output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    output.status.success().then_some(version)
}

async fn of_confab(binary: &Path, data: &Path, plan: &LoadPlan) -> Result<Done, Failure> {
    let server = confab(binary, ["--data", &data.display().to_string()], CONFAB_PORT)?;
    let room = fill::room_name(0);
    let post = Call::post("user-0", &room, "hello from the load generator");
    let path = format!("/api/v2.1/rest/load_comments?room_id={room}");
    let load = Call { method: Method::GET, path, body: "".into(), ..post.clone() };
    measured(&server, plan, move |_| post.clone(), move |_| load.clone()).await
}

async fn of_synapse(python: &Path, work: &Path, plan: &LoadPlan) -> Result<Done, Failure> {
    let config = configured(python, work)?;
    let config = config.display().to_string();
    let server =
        Server::start(python, &["-m", "synapse.app.homeserver", "-c", &config], SYNAPSE_PORT)?;
    let mut line = Line::open(server.address).await?;
    let person = json!({"username": "user-0", "password": "a-password-of-the-bench",
        "auth": {"type": "m.login.dummy"}});
    let made = answer(&mut line, &json_call(Method::POST, "register", "", &person)).await?;
    let token = made["access_token"].as_str().ok_or("no token")?.to_owned();
    let made =
        answer(&mut line, &json_call(Method::POST, "createRoom", &token, &json!({}))).await?;
    let room = made["room_id"].as_str().ok_or("no room")?.replace('!', "%21").replace(':', "%3A");
    let (posting, loading) = (token.clone(), token);
    let message = json!({"msgtype": "m.text", "body": "hello from the load generator"});
    let to = format!("rooms/{room}/send/m.room.message");
    let post = move |at| json_call(Method::PUT, &format!("{to}/{at}"), &posting, &message);
    let page = format!("rooms/{room}/messages?dir=b&limit=20");
    let load = move |_| json_call(Method::GET, &page, &loading, &Value::Null);
    measured(&server, plan, post, load).await
}

async fn answer(line: &mut Line, call: &Call) -> Result<Value, Failure> {
    Ok(serde_json::from_slice(&line.call(call).await?)?)
}

fn json_call(method: Method, path: &str, token: &str, body: &Value) -> Call {
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    // A registration must not contain a token.
    if !token.is_empty() {
        headers.push(("authorization".to_owned(), format!("Bearer {token}")));
    }
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let path = format!("/_matrix/client/v3/{path}");
    Call { method, path, headers, body: body.into() }
}

/// Generates Synapse's configuration, with open registration and without rate limits.
fn configured(python: &Path, work: &Path) -> Result<PathBuf, Failure> {
    let folder = work.join("synapse");
    std::fs::create_dir(&folder)?;
    let config = folder.join("homeserver.yaml");
    let made = Command::new(python)
        .args(["-m", "synapse.app.homeserver", "--server-name", "bench.invalid"])
        .args(["--report-stats", "no", "--generate-config", "--config-path"])
        .arg(&config)
        .arg("--data-directory")
        .arg(&folder)
        .current_dir(&folder)
        .output()?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into_owned().into());
    }
    let written = std::fs::read_to_string(&config)?.replace("port: 8008", "port: PORT");
    let rates = "{per_second: 1000000, burst_count: 1000000}";
    let besides = format!(
        "\nenable_registration: true\nenable_registration_without_verification: true\n\
         rc_message: {rates}\nrc_registration: {rates}\n"
    );
    let text = written.replace("PORT", &SYNAPSE_PORT.to_string()) + &besides;
    std::fs::write(&config, text)?;
    // Otherwise every request is logged.
    let log = std::fs::read_dir(&folder)?.filter_map(Result::ok).map(|it| it.path());
    for path in log.filter(|it| it.to_string_lossy().ends_with(".log.config")) {
        let quiet = std::fs::read_to_string(&path)?.replace("level: INFO", "level: ERROR");
        std::fs::write(&path, quiet)?;
    }
    Ok(config)
}

/// Measures the rate of posts, then the rate of page loads.
async fn measured(
    server: &Server,
    plan: &LoadPlan,
    post: impl Fn(usize) -> Call + Clone + Send + 'static,
    load: impl Fn(usize) -> Call + Clone + Send + 'static,
) -> Result<Done, Failure> {
    let span = Duration::from_secs(plan.seconds);
    let posted = rate(server, span, post).await?;
    let loaded = rate(server, span, load).await?;
    Ok(Done { posted, loaded, memory_mb: server.resident_mb()? })
}

/// Sends calls for a time. Returns requests per second. `call` builds the call with this number.
async fn rate(
    server: &Server,
    span: Duration,
    call: impl Fn(usize) -> Call + Clone + Send + 'static,
) -> Result<f64, Failure> {
    let (started, numbers) = (Instant::now(), Arc::new(AtomicUsize::new(0)));
    let mut tasks = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (address, numbers, call) = (server.address, numbers.clone(), call.clone());
        tasks.spawn(async move {
            let mut line = Line::open(address).await?;
            let mut count = 0;
            while started.elapsed() < span {
                line.call(&call(numbers.fetch_add(1, Ordering::Relaxed))).await?;
                count += 1;
            }
            Ok(count)
        });
    }
    let count: usize = all(tasks).await?.into_iter().sum();
    Ok(count as f64 / started.elapsed().as_secs_f64())
}
