//! A reverse proxy with a fault that `confab doctor` must find.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use confab_test_servers::raw::{listen, read_request};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::TcpStream;

/// Behavior of a proxy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Appends the address of its client, and changes nothing else.
    Faithful,
    /// Passes on the client's header with the client address unchanged.
    Credulous,
    /// Sends no header with the client's address.
    Secretive,
    /// Supports plain HTTP only, without upgrades.
    NoUpgrade,
    /// Buffers the whole response.
    Collecting,
    /// Drops headers with underscores.
    NoUnderscores,
    /// Sends an old `Date` header.
    OldDate,
    /// Forwards to another program.
    Elsewhere,
}

/// A local proxy.
pub struct Proxy {
    pub url: String,
    target: Arc<OnceLock<SocketAddr>>,
}

impl Proxy {
    pub async fn start(manner: Manner) -> Self {
        let target = Arc::new(OnceLock::new());
        let known = target.clone();
        let address = listen(move |stream| {
            let target = known.get().copied();
            async move {
                // A client that disconnects early needs no response.
                let _ = pass_on(stream, target.expect("the proxy has a target"), manner).await;
            }
        })
        .await;
        Self { url: format!("http://{address}"), target }
    }

    /// Sets the server to which the proxy forwards.
    pub fn set_target(&self, base: &str) {
        let address = base.trim_start_matches("http://").parse().expect("an address");
        self.target.set(address).expect("the proxy has no target yet");
    }
}

async fn pass_on(mut stream: TcpStream, target: SocketAddr, manner: Manner) -> std::io::Result<()> {
    let Some(request) = read_request(&mut stream).await else { return Ok(()) };
    if manner == Manner::Elsewhere {
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nwelcome";
        return stream.write_all(answer).await;
    }
    let is_stream = request.path() == "/health/stream";
    let is_whole = manner == Manner::OldDate || (manner == Manner::Collecting && is_stream);
    let mut head = format!("GET {} HTTP/1.1\r\n", request.path());
    for (name, value) in request.headers() {
        let is_hop = ["connection", "upgrade"].contains(&name.to_lowercase().as_str());
        let is_dropped = (manner == Manner::NoUnderscores && name.contains('_'))
            || (manner == Manner::Secretive && name.eq_ignore_ascii_case("x-forwarded-for"))
            || ((manner == Manner::NoUpgrade || (is_whole && request.path() != "/mqtt")) && is_hop);
        if !is_dropped {
            head += &format!("{name}: {value}\r\n");
        }
    }
    if is_whole && request.path() != "/mqtt" {
        head += "connection: close\r\n";
    }
    if !matches!(manner, Manner::Credulous | Manner::Secretive) {
        head += &format!("x-forwarded-for: {}\r\n", stream.peer_addr()?.ip());
    }
    let mut server = TcpStream::connect(target).await?;
    server.write_all(format!("{head}\r\n").as_bytes()).await?;
    if is_whole && (manner == Manner::Collecting || request.path() == "/health") {
        let mut answer = Vec::new();
        server.read_to_end(&mut answer).await?;
        let answer = String::from_utf8(answer).expect("text");
        return stream.write_all(with_old_date(&answer, manner).as_bytes()).await;
    }
    copy_bidirectional(&mut stream, &mut server).await.map(drop)
}

fn with_old_date(answer: &str, manner: Manner) -> String {
    let old = |line: &str| match line.to_lowercase().starts_with("date: ") {
        true if manner == Manner::OldDate => "date: Tue, 17 Nov 2020 17:50:18 GMT".to_owned(),
        _ => line.to_owned(),
    };
    answer.split("\r\n").map(old).collect::<Vec<_>>().join("\r\n")
}
