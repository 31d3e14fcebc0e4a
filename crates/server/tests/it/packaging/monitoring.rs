//! Every metric and label in the alerts and the dashboard is exported by a real server.

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

/// Returns every expression of the alerts and of the dashboard, with the name of its alert or
/// panel.
fn expressions() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let alerts = documents("packaging/monitoring/alerts.yaml");
    for rule in alerts[0]["groups"][0]["rules"].as_vec().expect("rules") {
        let name = rule["alert"].as_str().expect("a name").to_owned();
        let summary = rule["annotations"]["summary"].as_str().expect("a summary");
        assert!(summary.len() > 20, "{name} has a summary");
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

/// Returns the metrics that an expression names.
fn metrics(expression: &str) -> BTreeSet<&str> {
    let words = expression.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with("confab_")).collect()
}

/// Runs a server until it exports every expected metric; returns the metrics. No failure happens on
/// it.
async fn exported_metrics() -> String {
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
    // Some metrics are updated only once a second.
    until("every metric is exported", async || {
        let text = sent(server.bare(Method::GET, "/metrics")).await.text;
        let missing: Vec<_> = wanted.iter().filter(|name| !has_metric(&text, name)).collect();
        match missing.is_empty() {
            true => Some(text),
            false => {
                eprintln!("still missing: {missing:?}");
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
async fn a_server_exports_every_metric_and_label_of_the_alerts_and_the_dashboard() {
    let text = exported_metrics().await;
    for (place, expression) in expressions() {
        let named = metrics(&expression);
        if named.is_empty() {
            assert_eq!(place, "ConfabDown", "{expression}");
            continue;
        }
        for label in labels(&expression) {
            // Prometheus adds the label `instance`.
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
async fn the_free_disk_space_is_exported_without_a_minimum_and_before_any_upload() {
    let folder = Folder::with_app().await;
    let server = folder.serve();
    let caller = server.shop();
    until("the free space is exported", async || {
        let text = sent(caller.bare(Method::GET, "/metrics")).await.text;
        has_metric(&text, "confab_free_space_bytes").then_some(())
    })
    .await;
}

/// Returns the labels by which an expression groups or filters.
fn labels(expression: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for part in expression.split("by (").skip(1) {
        let (inside, _) = part.split_once(')').expect("the expression is closed");
        found.extend(inside.split(',').map(|label| label.trim().to_owned()));
    }
    for part in expression.split('{').skip(1) {
        let (inside, _) = part.split_once('}').expect("the expression is closed");
        for choice in inside.split(',') {
            let (label, _) = choice.split_once(['=', '!']).expect("a choice");
            found.insert(label.trim().to_owned());
        }
    }
    found
}

#[test]
fn every_alert_is_documented() {
    let page = text_of("docs/operating/monitoring.md");
    for rule in documents("packaging/monitoring/alerts.yaml")[0]["groups"][0]["rules"]
        .as_vec()
        .expect("rules")
    {
        let name = rule["alert"].as_str().expect("a name");
        assert!(page.contains(&format!("| `{name}` |")), "{name}");
    }
}
