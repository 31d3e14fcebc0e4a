//! The proxy configurations of the operator documentation: `confab doctor` finds no problem through
//! them, and clients cannot spoof their address.

use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use confab_domain::limits::SIGN_IN_TRIES_MAX;
use confab_test_servers::programs::{is_installed, program};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::json;

use super::text_of;
use crate::support::answer::Answer;
use crate::support::caller::{sent, urlencoded};
use crate::support::process::{Confab, Folder};
use crate::support::waiting::until_so;

/// A proxy process that is terminated on drop.
pub(super) struct Running(Child);

impl Running {
    /// Starts a proxy and discards its output.
    pub(super) fn start(mut command: Command) -> Self {
        let command = command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
        Self(command.spawn().expect("the proxy starts"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let pid = self.0.id().to_string();
        // SIGTERM also ends its child processes; SIGKILL would leave them running.
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.0.wait();
    }
}

/// Returns a port at which no program listens now.
pub(super) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// A proxy with a documented configuration.
#[derive(Clone, Copy)]
pub(super) enum Proxy {
    Nginx,
    Haproxy,
}

impl Proxy {
    /// Returns the language of its code block, which is also the name of the program.
    fn name(self) -> &'static str {
        match self {
            Self::Nginx => "nginx",
            Self::Haproxy => "haproxy",
        }
    }

    /// Returns the documented line with the listen address, and the address in it.
    fn listens(self) -> (&'static str, &'static str) {
        match self {
            Self::Nginx => ("listen 443 ssl;", "443 ssl"),
            Self::Haproxy => {
                let listen = "bind :443 ssl crt /etc/haproxy/chat.example.pem";
                (listen, ":443 ssl crt /etc/haproxy/chat.example.pem")
            }
        }
    }

    /// Returns the configuration of a page with the named servers replaced by these. It listens
    /// without TLS, because the test client does not know the documented certificate.
    pub(super) fn configured(self, page: &str, port: u16, servers: &[(&str, &str)]) -> String {
        let page = text_of(page);
        let mut block = program(&page, self.name()).to_owned();
        let (listen, address) = self.listens();
        assert!(block.contains(listen), "{block}");
        let plain = listen.replace(address, &format!("127.0.0.1:{port}"));
        block = block.replace(listen, &plain);
        for (named, server) in servers {
            assert!(block.contains(named), "{block}");
            block = block.replace(named, server);
        }
        block
    }

    /// Returns the command that starts the proxy with this configuration and this folder.
    pub(super) fn command(self, folder: &Path, block: &str) -> Command {
        let name = self.name();
        assert!(is_installed(name), "scripts/install-test-tools installs {name}");
        match self {
            Self::Nginx => nginx(folder, block),
            Self::Haproxy => {
                fs::write(folder.join("haproxy.cfg"), block).expect("written");
                let mut haproxy = Command::new("haproxy");
                haproxy.arg("-db").arg("-f").arg(folder.join("haproxy.cfg"));
                haproxy
            }
        }
    }
}

fn nginx(folder: &Path, block: &str) -> Command {
    // nginx requires the certificate files, although the test uses no TLS.
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    fs::write(folder.join("cert.pem"), cert.pem()).expect("written");
    fs::write(folder.join("key.pem"), signing_key.serialize_pem()).expect("written");
    let place = folder.display();
    let block = block.replace("/etc/ssl/chat.example.pem", &format!("{place}/cert.pem"));
    let block = block.replace("/etc/ssl/chat.example.key", &format!("{place}/key.pem"));
    let around = format!(
        "daemon off; pid {place}/nginx.pid; error_log {place}/error.log;\nevents {{}}\n\
         http {{ access_log off; client_body_temp_path {place}/body; proxy_temp_path \
         {place}/proxy; fastcgi_temp_path {place}/f; uwsgi_temp_path {place}/u; \
         scgi_temp_path {place}/s;\n{block}\n}}\n"
    );
    fs::write(folder.join("nginx.conf"), around).expect("written");
    let mut nginx = Command::new("nginx");
    nginx.args(["-e", "stderr", "-p"]).arg(folder).arg("-c").arg(folder.join("nginx.conf"));
    nginx
}

/// Starts a proxy in front of this server with the documented configuration.
fn start_in_front(server: &Confab, folder: &Folder, proxy: Proxy, port: u16) -> Running {
    start_in_front_without(server, folder, proxy, port, &[])
}

/// Starts a proxy without the configuration lines that contain any of these texts.
fn start_in_front_without(
    server: &Confab,
    folder: &Folder,
    proxy: Proxy,
    port: u16,
    removed: &[&str],
) -> Running {
    let servers = [("127.0.0.1:8787", server.base.trim_start_matches("http://"))];
    let block = proxy.configured("docs/operating/tls-and-proxies.md", port, &servers);
    let is_kept = |line: &&str| !removed.iter().any(|text| line.contains(text));
    let block: String = block.lines().filter(is_kept).map(|line| format!("{line}\n")).collect();
    Running::start(proxy.command(folder.path(), &block))
}

/// Asserts that `confab doctor` finds no problem through a proxy with the documented configuration.
async fn check_doctor_through(proxy: Proxy) {
    let folder = Folder::embedded().and_app().await;
    let port = free_port();
    let url = format!("http://127.0.0.1:{port}");
    let flags = ["--public-url", &url, "--trusted-proxies", "127.0.0.1"];
    let server = folder.serve_with(&flags, &[]);
    let _proxy = start_in_front(&server, &folder, proxy, port);
    let all = [&["doctor", "--listen", "127.0.0.1:0"], &flags[..]].concat();
    // The proxy may still be starting, and on a busy machine it may consider the server down at
    // first.
    until_so("everything comes through the proxy", async || {
        let found = folder.run(&all).out;
        let checks = ["public_url", "WebSocket", "event stream", "headers", "client address"];
        checks.iter().all(|check| {
            let line =
                found.lines().find(|line| line.get(9..).is_some_and(|it| it.starts_with(check)));
            line.is_some_and(|line| line.starts_with("ok "))
        })
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_documented_nginx_configuration_passes_every_check_of_doctor() {
    check_doctor_through(Proxy::Nginx).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_documented_haproxy_configuration_passes_every_check_of_doctor() {
    check_doctor_through(Proxy::Haproxy).await;
}

/// A client that calls through a proxy, from its own address.
struct ProxyClient {
    address: Ipv4Addr,
    base: String,
    http: reqwest::Client,
}

impl ProxyClient {
    fn new(last: u8, base: &str) -> Self {
        let address = Ipv4Addr::new(127, 0, 0, last);
        let http = reqwest::Client::builder().no_proxy().local_address(IpAddr::V4(address));
        Self { address, base: base.to_owned(), http: http.build().expect("a client") }
    }

    /// Logs in with another address in every header that can carry a client address.
    async fn log_in(&self, user: &str, password: &str, claimed: &str) -> Answer {
        let fields = [("email", user), ("password", password), ("username", user)];
        let mut request = self
            .http
            .post(format!("{}/api/v2/sdk/login_or_register", self.base))
            .header("SERVICE-SDK-APP-ID", "shop")
            .header("Content-Type", "application/x-www-form-urlencoded");
        if !claimed.is_empty() {
            request = request.header("Forwarded", format!("for={claimed}"));
            for name in ["X-Forwarded-For", "X-Real-IP", "True-Client-IP"] {
                request = request.header(name, claimed);
            }
        }
        sent(request.body(urlencoded(&fields))).await
    }
}

/// Lines that remove headers that Confab does not read. Earlier versions of the page lack them.
const REMOVING: [&str; 4] =
    ["Forwarded \"\"", "X-Forwarded-Host \"\"", "X-Real-IP \"\"", "del-header"];

/// Asserts that limits per address apply to the real client address behind a proxy, also if the
/// proxy passes on headers that Confab does not read.
async fn clients_cannot_spoof_their_address_behind(proxy: Proxy) {
    for removed in [&[][..], &REMOVING] {
        check_spoofing_without(proxy, removed).await;
    }
}

async fn check_spoofing_without(proxy: Proxy, removed: &[&str]) {
    const REGISTRATIONS: usize = 5;
    let folder = Folder::embedded().and_app().await;
    let port = free_port();
    let base = format!("http://127.0.0.1:{port}");
    let server = folder.serve_with(
        &["--trusted-proxies", "127.0.0.1", "--address-registrations-per-hour", "5"],
        &[],
    );
    let _proxy = start_in_front_without(&server, &folder, proxy, port, removed);
    let shop = server.shop();
    let ana = json!({"user_id": "ana", "username": "Ana", "password": "a password of hers"});
    shop.post("login_or_register", ana).await.results();
    let [attacker, owner] = [ProxyClient::new(5, &base), ProxyClient::new(6, &base)];
    until_so("the proxy passes calls on", async || {
        let health = attacker.http.get(format!("{base}/health")).send().await;
        health.is_ok_and(|it| it.status() == 200)
    })
    .await;
    let mut wrong = 0;
    loop {
        let claimed = format!("198.51.100.{wrong}");
        let answer = attacker.log_in("ana", "a wrong one", &claimed).await;
        if answer.status == 429 {
            answer.refused(429, "too_many_tries");
            break;
        }
        answer.refused(401, "unauthorized");
        wrong += 1;
        assert!(wrong <= SIGN_IN_TRIES_MAX, "attempts are counted per claimed address");
    }
    // Claiming the owner's address does not use up the owner's attempts.
    for _ in 0..SIGN_IN_TRIES_MAX {
        let framed = attacker.log_in("ana", "a wrong one", &owner.address.to_string()).await;
        framed.refused(429, "too_many_tries");
    }
    owner.log_in("ana", "a password of hers", "").await.results();
    for number in 0..REGISTRATIONS {
        let claimed = format!("203.0.113.{number}");
        attacker.log_in(&format!("eve-{number}"), "secret", &claimed).await.results();
    }
    let one_more = attacker.log_in("eve-again", "secret", "203.0.113.99").await;
    assert_eq!(one_more.status, 429, "{}", one_more.text);
    owner.log_in("joe", "a password of his", "").await.results();
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_cannot_spoof_their_address_behind_the_documented_nginx() {
    clients_cannot_spoof_their_address_behind(Proxy::Nginx).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_cannot_spoof_their_address_behind_the_documented_haproxy() {
    clients_cannot_spoof_their_address_behind(Proxy::Haproxy).await;
}
