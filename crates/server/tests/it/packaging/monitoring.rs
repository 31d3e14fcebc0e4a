//! Each metric that an alert or the dashboard asks for is one that a real server gives, with the
//! labels that it is asked by.

use std::collections::BTreeSet;

use confab_test_servers::receiver::Receiver;
use reqwest::Method;
use serde_json::Value;

use super::{documents, text_of};
use crate::sdk::uploads::upload;
use crate::support::caller::sent;
use crate::support::client::Client;
use crate::support::process::Folder;
use crate::support::test_server::TestServer;
use crate::support::waiting::until;

/// Every expression of the alerts and of the dashboard, with where it stands.
fn expressions() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let alerts = documents("packaging/monitoring/alerts.yaml");
    for rule in alerts[0]["groups"][0]["rules"].as_vec().expect("rules") {
        let name = rule["alert"].as_str().expect("a name").to_owned();
        let summary = rule["annotations"]["summary"].as_str().expect("a summary");
        assert!(summary.len() > 20, "{name} says what is wrong");
        assert!(["page", "ticket"].contains(&rule["labels"]["severity"].as_str().expect("one")));
        found.push((name, rule["expr"].as_str().expect("an expression").to_owned()));
    }
    let text = text_of("packaging/monitoring/grafana-dashboard.json");
    let dashboard: Value = serde_json::from_str(&text).expect("JSON");
    for panel in dashboard["panels"].as_array().expect("panels") {
        let title = panel["title"].as_str().expect("a title");
        for target in panel["targets"].as_array().expect("targets") {
            found.push((title.to_owned(), target["expr"].as_str().expect("one").to_owned()));
        }
    }
    assert!(found.len() > 30, "{found:?}");
    found
}

/// The metrics that an expression names.
fn metrics(expression: &str) -> BTreeSet<&str> {
    let words = expression.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with("confab_")).collect()
}

/// A server to which everything happened that the numbers tell of and that is no failure.
async fn after_a_day() -> String {
    let server = TestServer::start().await;
    let receiver = Receiver::start().await;
    server.tell("bot", &receiver.url, &serde_json::json!({})).await;
    let room = server.open_rooms(1).await.remove(0);
    server.trigger("bot", Some(&room)).await;
    server.nothing_waits().await;
    let cleo = Client::new(&server, "cleo").await;
    upload(&cleo, "a.txt", b"hello").await.results();
    let wanted: BTreeSet<_> = expressions()
        .iter()
        .flat_map(|(_, it)| metrics(it).into_iter().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    // Some numbers are told every second only.
    until("every metric is there", async || {
        let text = sent(server.bare(Method::GET, "/metrics")).await.text;
        let missing: Vec<_> = wanted.iter().filter(|name| !has_metric(&text, name)).collect();
        match missing.is_empty() {
            true => Some(text),
            false => {
                eprintln!("not there yet: {missing:?}");
                None
            }
        }
    })
    .await
}

fn has_metric(text: &str, name: &str) -> bool {
    let is_it = |line: &str| {
        line.strip_prefix(name).is_some_and(|rest| rest.starts_with('{') || rest.starts_with(' '))
    };
    text.lines().any(is_it)
}

#[tokio::test]
async fn every_metric_and_label_of_the_alerts_and_the_dashboard_is_there() {
    let text = after_a_day().await;
    for (place, expression) in expressions() {
        let named = metrics(&expression);
        if named.is_empty() {
            assert_eq!(place, "ConfabDown", "{expression}");
            continue;
        }
        for label in labels(&expression) {
            // Prometheus adds which node it is.
            let is_shown = |name: &&str| {
                let (beginning, shown) = (format!("{name}{{"), format!("{label}=\""));
                text.lines().any(|line| line.starts_with(&beginning) && line.contains(&shown))
            };
            let has_it = label == "instance" || named.iter().any(is_shown);
            assert!(has_it, "{place}: no {label} in {expression}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn how_much_of_the_disk_is_free_is_told_without_a_floor_and_before_any_upload() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let caller = server.shop();
    until("it is told", async || {
        let text = sent(caller.bare(Method::GET, "/metrics")).await.text;
        has_metric(&text, "confab_free_space_bytes").then_some(())
    })
    .await;
}

/// The labels that an expression groups or chooses by.
fn labels(expression: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for part in expression.split("by (").skip(1) {
        let (inside, _) = part.split_once(')').expect("it is closed");
        found.extend(inside.split(',').map(|label| label.trim().to_owned()));
    }
    for part in expression.split('{').skip(1) {
        let (inside, _) = part.split_once('}').expect("it is closed");
        for choice in inside.split(',') {
            let (label, _) = choice.split_once(['=', '!']).expect("a choice");
            found.insert(label.trim().to_owned());
        }
    }
    found
}

#[test]
fn every_alert_is_explained_on_the_page() {
    let page = text_of("docs/operating/monitoring.md");
    for rule in documents("packaging/monitoring/alerts.yaml")[0]["groups"][0]["rules"]
        .as_vec()
        .expect("rules")
    {
        let name = rule["alert"].as_str().expect("a name");
        assert!(page.contains(&format!("| `{name}` |")), "{name}");
    }
}
