//! Clients that others wrote.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{client_of, support_room};
use crate::test_server::TestServer;

/// Runs a program to its end beside the server; what it said.
async fn ran(mut command: Command) -> String {
    let name = format!("{:?}", command.get_program());
    let ended = tokio::task::spawn_blocking(move || command.stdin(Stdio::null()).output());
    let ended = ended.await.expect("joined").unwrap_or_else(|error| panic!("{name}: {error}"));
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{name} failed: {said}{complaint}");
    said
}

fn mosquitto(program: &str, server: &TestServer, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    let port = server.mqtt.port().to_string();
    command.args(["-h", "127.0.0.1", "-p", &port, "-V", "mqttv311"]).args(arguments);
    command
}

#[tokio::test]
async fn mosquitto_sub_shows_messages_and_mosquitto_pub_is_heard() {
    let server = TestServer::with_support_room().await;
    let room = support_room(&server).await;
    let bob_token = server.token("bob").await;
    let (mut ana, ana_token) = client_of(&server, "ana").await;
    assert_eq!(ana.subscribe(&[&format!("r/{room}/{room}/+/t")]).await, "0");

    let (own, presence) = (format!("{bob_token}/c"), "u/ana/s");
    ana.publish(presence, "1").await;
    let wanted = ["-t", &own, "-t", presence, "-q", "2", "-C", "2", "-W", "20", "-v"];
    let listening = tokio::spawn(ran(mosquitto("mosquitto_sub", &server, &wanted)));

    // The token as password: nobody else may publish in bob's name.
    let topic = format!("r/{room}/{room}/bob/t");
    let telling = ["-t", &topic, "-m", "1", "-q", "2", "-u", "bob", "-P", &bob_token];
    ran(mosquitto("mosquitto_pub", &server, &telling)).await;
    assert_eq!(ana.shown().await, (topic, "1".to_owned()));

    // Until it listens, nobody knows; whoever listens hears one of these.
    let mut number = 0;
    while !listening.is_finished() {
        number += 1;
        server.post_comment("ana", "support", &format!("hello {number}")).await;
        assert_eq!(ana.shown().await.0, format!("{ana_token}/c"));
    }
    let said = listening.await.expect("joined");
    assert!(said.contains("u/ana/s 1:"), "{said}");
    assert!(said.contains(&format!("{own} {{")) && said.contains("hello "), "{said}");
}

#[tokio::test]
async fn paho_speaks_every_qos_by_tcp_and_websocket() {
    let server = TestServer::with_support_room().await;
    let python = paho().await;
    let token = server.token("bob").await;
    let http = server.base.trim_start_matches("http://").to_owned();
    for (transport, address) in [("tcp", server.mqtt.to_string()), ("websockets", http)] {
        let (mut ana, _) = client_of(&server, "ana").await;
        let room = support_room(&server).await;
        assert_eq!(ana.subscribe(&[&format!("r/{room}/{room}/+/t")]).await, "0");
        let script =
            Path::new(file!()).file_name().map(|_| "tests/it/realtime/mqtt/paho_client.py");
        let mut command = Command::new(&python);
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(script.expect("a path")));
        command.args([transport, &address, &token, &room]);
        let listening = tokio::spawn(ran(command));
        // It types when it listens, with each QoS.
        for _ in 0..3 {
            assert_eq!(ana.shown().await.1, "1");
        }
        for qos in 0..3 {
            server.post_comment("ana", "support", &format!("with {qos}")).await;
        }
        let said = listening.await.expect("joined");
        assert_eq!(said, "0 with 0\n1 with 1\n2 with 2\n", "by {transport}");
    }
}

/// A Python with paho-mqtt, installed once beside what is built.
async fn paho() -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("paho");
    let python = folder.join("bin/python");
    if !folder.join("is-ready").exists() {
        let mut make = Command::new("python3");
        make.args(["-m", "venv"]).arg(&folder);
        ran(make).await;
        let mut install = Command::new(&python);
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        install.arg("paho-mqtt==2.*");
        ran(install).await;
        std::fs::write(folder.join("is-ready"), "").expect("written");
    }
    python
}
