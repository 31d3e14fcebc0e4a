//! The configurations of proxies on the page for operators, as they stand there: `confab doctor`
//! finds nothing wrong through them.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use confab_test_servers::programs::{is_installed, program};
use rcgen::{CertifiedKey, generate_simple_self_signed};

use super::text_of;
use crate::support::process::Folder;
use crate::support::waiting::until_so;

/// A proxy that ends with its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let pid = self.0.id().to_string();
        // Its children, too: SIGTERM is passed on, SIGKILL would leave them.
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.0.wait();
    }
}

/// A port that nobody listens on now.
fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// The configuration with this server behind it. Who asks is on this machine and knows no name of
/// the certificate: what is encrypted on the page is not here.
fn configured(block: &str, listen: &str, port: u16, server: &str) -> String {
    let page = text_of("docs/operating/tls-and-proxies.md");
    let block = program(&page, block).to_owned();
    assert!(block.contains(listen) && block.contains("127.0.0.1:8787"), "{block}");
    let plain = listen.replace(":443 ssl crt /etc/haproxy/chat.example.pem", "127.0.0.1:PORT");
    let plain = plain.replace("443 ssl", "127.0.0.1:PORT").replace("PORT", &port.to_string());
    block.replace(listen, &plain).replace("127.0.0.1:8787", server)
}

/// What is found through a proxy that is started with this.
async fn is_healthy_through(start: impl FnOnce(&Path, u16, &str) -> Command) {
    let folder = Folder::embedded().and_app().await;
    let port = free_port();
    let url = format!("http://127.0.0.1:{port}");
    let flags = ["--public-url", &url, "--trusted-proxies", "127.0.0.1"];
    let server = folder.serve_with(&flags, &[]);
    let mut command = start(folder.path(), port, server.base.trim_start_matches("http://"));
    let command = command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    let _proxy = Running(command.spawn().expect("it starts"));
    let all = [&["doctor", "--listen", "127.0.0.1:0"], &flags[..]].concat();
    // It starts meanwhile, and on a machine that is busy it may take the server for gone at first.
    until_so("everything comes through the proxy", async || {
        let found = folder.run(&all).out;
        ["public_url", "WebSocket", "event stream", "headers"].iter().all(|check| {
            let line =
                found.lines().find(|line| line.get(9..).is_some_and(|it| it.starts_with(check)));
            line.is_some_and(|line| line.starts_with("ok "))
        })
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nginx_as_it_stands_on_the_page_lets_everything_through() {
    assert!(is_installed("nginx"), "scripts/install-test-tools installs nginx");
    is_healthy_through(|folder, port, server| {
        let block = configured("nginx", "listen 443 ssl;", port, server);
        // A certificate must be there, although nothing is encrypted.
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
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn haproxy_as_it_stands_on_the_page_lets_everything_through() {
    assert!(is_installed("haproxy"), "scripts/install-test-tools installs haproxy");
    is_healthy_through(|folder, port, server| {
        let listen = "bind :443 ssl crt /etc/haproxy/chat.example.pem";
        let block = configured("haproxy", listen, port, server);
        fs::write(folder.join("haproxy.cfg"), block).expect("written");
        let mut haproxy = Command::new("haproxy");
        haproxy.arg("-db").arg("-f").arg(folder.join("haproxy.cfg"));
        haproxy
    })
    .await;
}
