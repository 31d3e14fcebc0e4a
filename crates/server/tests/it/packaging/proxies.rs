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
pub(super) struct Running(Child);

impl Running {
    /// Starts a proxy that says nothing.
    pub(super) fn start(mut command: Command) -> Self {
        let command = command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
        Self(command.spawn().expect("it starts"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let pid = self.0.id().to_string();
        // Its children, too: SIGTERM is passed on, SIGKILL would leave them.
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.0.wait();
    }
}

/// A port that nobody listens on now.
pub(super) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

/// The two that a page shows.
#[derive(Clone, Copy)]
pub(super) enum Proxy {
    Nginx,
    Haproxy,
}

impl Proxy {
    /// The language of its block on a page, which is also the name of the program.
    fn name(self) -> &'static str {
        match self {
            Self::Nginx => "nginx",
            Self::Haproxy => "haproxy",
        }
    }

    /// Where it listens on a page.
    fn listens(self) -> (&'static str, &'static str) {
        match self {
            Self::Nginx => ("listen 443 ssl;", "443 ssl"),
            Self::Haproxy => {
                let listen = "bind :443 ssl crt /etc/haproxy/chat.example.pem";
                (listen, ":443 ssl crt /etc/haproxy/chat.example.pem")
            }
        }
    }

    /// The configuration of a page with these servers in place of those that are named there. Who
    /// asks is on this machine and knows no name of the certificate: what is encrypted on the page
    /// is not here.
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

    /// What starts it in a folder of its own.
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
}

/// What is found through a proxy as it stands on the page.
async fn is_healthy_through(proxy: Proxy) {
    let folder = Folder::embedded().and_app().await;
    let port = free_port();
    let url = format!("http://127.0.0.1:{port}");
    let flags = ["--public-url", &url, "--trusted-proxies", "127.0.0.1"];
    let server = folder.serve_with(&flags, &[]);
    let servers = [("127.0.0.1:8787", server.base.trim_start_matches("http://"))];
    let block = proxy.configured("docs/operating/tls-and-proxies.md", port, &servers);
    let _proxy = Running::start(proxy.command(folder.path(), &block));
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
    is_healthy_through(Proxy::Nginx).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn haproxy_as_it_stands_on_the_page_lets_everything_through() {
    is_healthy_through(Proxy::Haproxy).await;
}
