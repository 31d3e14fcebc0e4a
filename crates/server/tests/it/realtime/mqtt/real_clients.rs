//! Third-party MQTT clients.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{client_of, support_room};
use crate::support::installing::{self, installed};
use crate::support::test_server::TestServer;

/// Runs a program to its end while the server runs; returns its output.
async fn ran(command: Command) -> String {
    tokio::task::spawn_blocking(move || installing::ran(command)).await.expect("joined")
}

fn mosquitto(program: &str, server: &TestServer, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    let port = server.mqtt.port().to_string();
    command.args(["-h", "127.0.0.1", "-p", &port, "-V", "mqttv311"]).args(arguments);
    command
}

#[tokio::test]
async fn mosquitto_sub_receives_messages_and_mosquitto_pub_publishes_typing() {
    let server = TestServer::with_support_room().await;
    let room = support_room(&server).await;
    let bob_token = server.token("bob").await;
    let (mut ana, ana_token) = client_of(&server, "ana").await;
    assert_eq!(ana.subscribe(&[&format!("r/{room}/{room}/+/t")]).await, "0");

    let (own, presence) = (format!("{bob_token}/c"), "u/ana/s");
    ana.publish(presence, "1").await;
    let wanted = ["-t", &own, "-t", presence, "-q", "2", "-C", "2", "-W", "60", "-v"];
    let listening = tokio::spawn(ran(mosquitto("mosquitto_sub", &server, &wanted)));

    // The token is the password: only bob can publish in bob's name.
    let topic = format!("r/{room}/{room}/bob/t");
    let publishing = ["-t", &topic, "-m", "1", "-q", "2", "-u", "bob", "-P", &bob_token];
    ran(mosquitto("mosquitto_pub", &server, &publishing)).await;
    assert_eq!(ana.shown().await, (topic, "1".to_owned()));

    // The time of the subscription is unknown; a subscribed client receives one of these.
    let mut number = 0;
    while !listening.is_finished() {
        number += 1;
        server.post_comment("ana", "support", &format!("hello {number}")).await;
        assert_eq!(ana.shown().await.0, format!("{ana_token}/c"));
    }
    let output = listening.await.expect("joined");
    assert!(output.contains("u/ana/s 1:"), "{output}");
    assert!(output.contains(&format!("{own} {{")) && output.contains("hello "), "{output}");
}

#[tokio::test]
async fn paho_sends_and_receives_with_every_qos_over_tcp_and_websocket() {
    let server = TestServer::with_support_room().await;
    let python = tokio::task::spawn_blocking(paho).await.expect("joined");
    let token = server.token("bob").await;
    let http = server.base.trim_start_matches("http://").to_owned();
    for (transport, address) in [("tcp", server.mqtt.to_string()), ("websockets", http)] {
        let (mut ana, _) = client_of(&server, "ana").await;
        let room = support_room(&server).await;
        assert_eq!(ana.subscribe(&[&format!("r/{room}/{room}/+/t")]).await, "0");
        let mut command = Command::new(&python);
        let script = "tests/it/realtime/mqtt/paho_client.py";
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(script));
        command.args([transport, &address, &token, &room]);
        let listening = tokio::spawn(ran(command));
        // The subscriber types once it is subscribed, with each QoS.
        for _ in 0..3 {
            assert_eq!(ana.shown().await.1, "1");
        }
        for qos in 0..3 {
            server.post_comment("ana", "support", &format!("with {qos}")).await;
        }
        let output = listening.await.expect("joined");
        assert_eq!(output, "0 with 0\n1 with 1\n2 with 2\n", "by {transport}");
    }
}

/// Returns a Python interpreter with paho-mqtt.
fn paho() -> PathBuf {
    let folder = installed("paho-2", |folder| {
        let mut make = Command::new("python3");
        make.args(["-m", "venv"]).arg(folder);
        installing::ran(make);
        let mut install = Command::new(folder.join("bin/python"));
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        install.args(["--retries", "10", "paho-mqtt==2.*"]);
        installing::ran(install);
    });
    folder.join("bin/python")
}
