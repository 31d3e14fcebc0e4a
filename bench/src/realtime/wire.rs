//! Raw connections of listeners: handshakes by hand, then a stream split into frames by their
//! lengths.
//!
//! The load generator shares two cores with the server, so it does as little as possible: one
//! thread, one large buffer for all connections, and frames that are not parsed unless necessary.

use std::cell::RefCell;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;

use crate::failure::Failure;

/// Maximum number of bytes per read, and size of the buffer that all connections share.
const READ_BYTES: usize = 262_144;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; READ_BYTES]);
}

/// The protocol of a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    WebSocket,
    Mqtt,
    Nats,
}

impl Way {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::WebSocket => "WebSocket",
            Self::Mqtt => "MQTT",
            Self::Nats => "NATS",
        }
    }
}

pub(crate) struct Wire {
    way: Way,
    stream: TcpStream,
    /// Start of a frame whose rest has not arrived yet.
    rest: Vec<u8>,
}

impl Wire {
    /// Connects, subscribes, and waits for the server's confirmation. `name` is the user's token on
    /// `/realtime`, otherwise the topic or subject.
    pub(crate) async fn open(
        way: Way,
        address: SocketAddr,
        at: usize,
        name: &str,
    ) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let mut wire = Self { way, stream, rest: Vec::new() };
        match way {
            Way::WebSocket => {
                let request = format!(
                    "GET /realtime?token={name} HTTP/1.1\r\nhost: bench\r\nconnection: upgrade\r\n\
                     upgrade: websocket\r\nsec-websocket-version: 13\r\n\
                     sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
                );
                wire.stream.write_all(request.as_bytes()).await?;
                let head = wire.first(|bytes| find(bytes, b"\r\n\r\n").map(|at| at + 4)).await?;
                if !head.starts_with(b"HTTP/1.1 101") {
                    return Err(String::from_utf8_lossy(&head).into());
                }
            }
            Way::Mqtt => {
                wire.stream.write_all(&mqtt_connect(&format!("bench-{at}"))).await?;
                wire.first(|bytes| Some(Way::Mqtt.frame(bytes)?.0)).await?;
                wire.stream.write_all(&mqtt_subscribe(name)).await?;
            }
            Way::Nats => {
                wire.first(|bytes| Some(Way::Nats.frame(bytes)?.0)).await?;
                let hello = format!("CONNECT {{\"verbose\":false}}\r\nSUB {name} 1\r\nPING\r\n");
                wire.stream.write_all(hello.as_bytes()).await?;
            }
        }
        // The hello, the SUBACK or the PONG.
        wire.first(|bytes| Some(way.frame(bytes)?.0)).await?;
        Ok(wire)
    }

    /// Reads and returns the first packet. `length` computes its length from the bytes read so far.
    async fn first(&mut self, length: impl Fn(&[u8]) -> Option<usize>) -> Result<Vec<u8>, Failure> {
        loop {
            if let Some(length) = length(&self.rest).filter(|it| *it <= self.rest.len()) {
                let first = self.rest.drain(..length).collect();
                // Most connections are idle: free their buffers.
                if self.rest.is_empty() {
                    self.rest = Vec::new();
                }
                return Ok(first);
            }
            if self.stream.read_buf(&mut self.rest).await? == 0 {
                return Err("the server hung up".into());
            }
        }
    }

    /// Sends raw bytes, such as those of a published message.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Ok(self.stream.write_all(bytes).await?)
    }

    /// Reads messages until the server closes the connection. Passes the messages of each read to
    /// `seen`.
    pub(crate) async fn listen(mut self, mut seen: impl FnMut(Messages<'_>)) {
        loop {
            let read = poll_fn(|context| {
                BUFFER.with_borrow_mut(|buffer| {
                    let mut into = ReadBuf::new(buffer);
                    let read = Pin::new(&mut self.stream).poll_read(context, &mut into);
                    read.map_ok(|()| {
                        let bytes = into.filled();
                        let (way, rest) = (self.way, &mut self.rest);
                        if rest.is_empty() {
                            let mut messages = Messages { way, bytes };
                            seen(Messages { way, bytes });
                            messages.by_ref().for_each(drop);
                            rest.extend_from_slice(messages.bytes);
                        } else {
                            rest.extend_from_slice(bytes);
                            let mut messages = Messages { way, bytes: rest };
                            seen(Messages { way, bytes: rest });
                            messages.by_ref().for_each(drop);
                            let left = messages.bytes.len();
                            rest.drain(..rest.len() - left);
                        }
                        bytes.len()
                    })
                })
            });
            if !matches!(read.await, Ok(length) if length > 0) {
                return;
            }
        }
    }
}

/// Iterator over the complete messages in a buffer. `bytes` is the part that is not iterated yet.
pub(crate) struct Messages<'a> {
    way: Way,
    bytes: &'a [u8],
}

impl<'a> Iterator for Messages<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let (length, is_message) = self.way.frame(self.bytes)?;
            let (frame, rest) = self.bytes.split_at_checked(length)?;
            self.bytes = rest;
            if is_message {
                return Some(frame);
            }
        }
    }
}

impl Way {
    /// Returns the length of the first frame in `bytes`, and whether it is a message.
    fn frame(self, bytes: &[u8]) -> Option<(usize, bool)> {
        match self {
            Self::WebSocket => {
                let [first, short, ..] = *bytes else { return None };
                let length = match short {
                    126 => 4 + usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)),
                    127 => 10 + u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?) as usize,
                    _ => 2 + usize::from(short),
                };
                Some((length, first & 0x0f == 1))
            }
            Self::Mqtt => {
                let (mut length, mut at) = (0, 1);
                loop {
                    let byte = usize::from(*bytes.get(at)?);
                    length |= (byte & 127) << (7 * (at - 1));
                    at += 1;
                    if byte < 128 {
                        return Some((at + length, bytes[0] >> 4 == 3));
                    }
                }
            }
            Self::Nats => {
                let line = find(bytes, b"\r\n")?;
                let Some(message) = bytes[..line].strip_prefix(b"MSG ") else {
                    return Some((line + 2, false));
                };
                let length = message.rsplit(|byte| *byte == b' ').next()?;
                let length: usize = std::str::from_utf8(length).ok()?.parse().ok()?;
                Some((line + 2 + length + 2, true))
            }
        }
    }

    /// Encodes a message as a publisher sends it. Empty for `/realtime`, where clients cannot
    /// publish.
    pub(crate) fn publish(self, topic: &str, text: &str) -> Vec<u8> {
        match self {
            Self::WebSocket => Vec::new(),
            Self::Mqtt => {
                let body = [&mqtt_text(topic)[..], text.as_bytes()].concat();
                mqtt_packet(0x30, &body)
            }
            Self::Nats => format!("PUB {topic} {}\r\n{text}\r\n", text.len()).into_bytes(),
        }
    }
}

/// Returns the position of the first occurrence of `text` in `bytes`.
pub(crate) fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    let first = *text.first()?;
    let mut from = 0;
    loop {
        let at = from + bytes[from..].iter().position(|byte| *byte == first)?;
        if bytes[at..].starts_with(text) {
            return Some(at);
        }
        from = at + 1;
    }
}

fn mqtt_connect(client: &str) -> Vec<u8> {
    // Protocol version 4, a clean session, a keep-alive of ten minutes.
    let head = b"\x00\x04MQTT\x04\x02\x02\x58";
    mqtt_packet(0x10, &[head, &mqtt_text(client)[..]].concat())
}

fn mqtt_subscribe(topic: &str) -> Vec<u8> {
    mqtt_packet(0x82, &[b"\x00\x01", &mqtt_text(topic)[..], b"\x00"].concat())
}

fn mqtt_text(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes(), text.as_bytes()].concat()
}

fn mqtt_packet(kind: u8, body: &[u8]) -> Vec<u8> {
    let (mut packet, mut length) = (vec![kind], body.len());
    loop {
        let more = if length > 127 { 128 } else { 0 };
        packet.push((length % 128) as u8 | more);
        length /= 128;
        if length == 0 {
            break;
        }
    }
    packet.extend_from_slice(body);
    packet
}
