//! A small MQTT client: packets of the codec, over TCP or WebSocket.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{SinkExt, StreamExt};
use mqute_codec::codec::{Encode, PacketCodec};
use mqute_codec::protocol::v4::{
    ConnAck, Connect, Disconnect, Packet, PingReq, PubAck, PubComp, PubRec, PubRel, Publish,
    ReturnCode, Subscribe, TopicQosFilter, UnsubAck, Unsubscribe, Will,
};
use mqute_codec::protocol::{Credentials, Flags, QoS};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::support::caller::Caller;
use crate::support::test_server::TestServer;

/// Longest wait for any packet.
const DEADLINE: Duration = Duration::from_secs(60);

enum Wire {
    Tcp(TcpStream),
    Web(Box<WebSocketStream<MaybeTlsStream<TcpStream>>>),
}

pub struct MqttClient {
    wire: Wire,
    inward: BytesMut,
    shown: VecDeque<Publish>,
    /// Whether the client acknowledges the messages that it receives.
    pub is_polite: bool,
    pub connack: Option<ConnAck>,
}

/// Options of a connection.
pub struct Beginning {
    client: String,
    token: Option<String>,
    will: Option<Will>,
    keep_alive_s: u64,
    is_clean: bool,
}

pub fn called(client: &str) -> Beginning {
    let client = client.to_owned();
    Beginning { client, token: None, will: None, keep_alive_s: 60, is_clean: true }
}

impl Beginning {
    /// Sends the token as the password.
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    pub fn with_will(mut self, topic: &str, payload: &'static str) -> Self {
        self.will = Some(Will::new(topic, payload.into(), QoS::AtLeastOnce, true));
        self
    }

    pub fn alive_for(mut self, seconds: u64) -> Self {
        self.keep_alive_s = seconds;
        self
    }

    /// Requests a persistent session.
    pub fn lasting(mut self) -> Self {
        self.is_clean = false;
        self
    }

    pub async fn by_tcp(self, server: &TestServer) -> MqttClient {
        self.begin(MqttClient::tcp(server.mqtt).await).await
    }

    pub async fn by_web(self, server: &Caller) -> MqttClient {
        self.begin(MqttClient::web(server).await).await
    }

    pub async fn begin(self, client: MqttClient) -> MqttClient {
        self.try_begin(client).await.expect("a CONNACK and not the end")
    }

    /// Connects; returns `None` if the server closed the connection instead.
    pub async fn try_begin(self, mut client: MqttClient) -> Option<MqttClient> {
        let Self { client: id, token, will, keep_alive_s, is_clean } = self;
        let credentials = token.map(|token| Credentials::full("", token));
        let keep_alive = Duration::from_secs(keep_alive_s);
        client.send(&Connect::new(id, credentials, will, keep_alive, is_clean)).await;
        match client.packet().await? {
            Packet::ConnAck(connack) => client.connack = Some(connack),
            other => panic!("no CONNACK: {other:?}"),
        }
        Some(client)
    }
}

impl MqttClient {
    /// Opens a TCP connection with a small receive buffer, without sending anything.
    pub async fn tcp(address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(16_384).expect("a small buffer");
        Self::on(Wire::Tcp(socket.connect(address).await.expect("connected")))
    }

    /// Opens a WebSocket connection, without sending anything.
    pub async fn web(server: &Caller) -> Self {
        let url = format!("{}/mqtt", server.base.replace("http", "ws"));
        let mut request = url.into_client_request().expect("a request");
        let protocol = "mqtt".parse().expect("a header");
        request.headers_mut().insert("Sec-WebSocket-Protocol", protocol);
        let (socket, answer) =
            tokio_tungstenite::connect_async(request).await.expect("a WebSocket");
        assert_eq!(answer.headers()["sec-websocket-protocol"], "mqtt");
        Self::on(Wire::Web(Box::new(socket)))
    }

    fn on(wire: Wire) -> Self {
        let (inward, shown) = (BytesMut::new(), VecDeque::new());
        Self { wire, inward, shown, is_polite: true, connack: None }
    }

    pub fn has_session(&self) -> bool {
        self.connack.as_ref().is_some_and(ConnAck::session_present)
    }

    pub async fn send(&mut self, packet: &impl Encode) {
        let mut bytes = BytesMut::new();
        packet.encode(&mut bytes).expect("written");
        self.send_bytes(bytes.freeze()).await;
    }

    pub async fn send_bytes(&mut self, bytes: Bytes) {
        // A closed connection is noticed by the next read.
        let _ = match &mut self.wire {
            Wire::Tcp(stream) => stream.write_all(&bytes).await.is_ok(),
            Wire::Web(socket) => socket.send(Message::Binary(bytes)).await.is_ok(),
        };
    }

    /// Waits for the next packet; `None` at the end.
    pub async fn packet(&mut self) -> Option<Packet> {
        tokio::time::timeout(DEADLINE, self.read_packet()).await.expect("a packet, or the end")
    }

    async fn read_packet(&mut self) -> Option<Packet> {
        let codec = PacketCodec::new(None, None);
        loop {
            if let Ok(raw) = codec.try_decode(&mut self.inward) {
                return Some(Packet::decode(raw).expect("a packet"));
            }
            match &mut self.wire {
                Wire::Tcp(stream) => {
                    let count = stream.read_buf(&mut self.inward).await.unwrap_or(0);
                    if count == 0 {
                        return None;
                    }
                }
                Wire::Web(socket) => match socket.next().await {
                    Some(Ok(Message::Binary(bytes))) => self.inward.extend_from_slice(&bytes),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                    Some(Ok(_)) => {}
                },
            }
        }
    }

    /// Waits for the next packet that is no message. Messages are queued and acknowledged.
    async fn answer(&mut self) -> Option<Packet> {
        loop {
            match self.packet().await? {
                Packet::Publish(publish) => {
                    if let (true, Some(id)) = (self.is_polite, publish.packet_id()) {
                        match publish.flags().qos {
                            QoS::ExactlyOnce => self.send(&PubRec::new(id)).await,
                            _ => self.send(&PubAck::new(id)).await,
                        }
                    }
                    self.shown.push_back(publish);
                    return None;
                }
                Packet::PubRel(it) if self.is_polite => {
                    self.send(&PubComp::new(it.packet_id())).await;
                }
                other => return Some(other),
            }
        }
    }

    /// Waits for the next response. Messages that arrive before it are queued.
    async fn next_answer(&mut self) -> Packet {
        self.answer_or_end().await.expect("an answer and not the end")
    }

    async fn answer_or_end(&mut self) -> Option<Packet> {
        loop {
            let before = self.shown.len();
            match self.answer().await {
                Some(packet) => return Some(packet),
                None if self.shown.len() > before => {}
                None => return None,
            }
        }
    }

    /// Subscribes; returns the granted QoS of each filter, `x` for a refused one.
    pub async fn subscribe(&mut self, filters: &[&str]) -> String {
        self.subscribe_at(QoS::AtMostOnce, filters).await
    }

    pub async fn subscribe_at(&mut self, qos: QoS, filters: &[&str]) -> String {
        self.try_subscribe_at(qos, filters).await.expect("a SUBACK and not the end")
    }

    /// Subscribes; returns `None` if the server closed the connection instead.
    pub async fn try_subscribe_at(&mut self, qos: QoS, filters: &[&str]) -> Option<String> {
        let filters = filters.iter().map(|it| TopicQosFilter::new(*it, qos));
        self.send(&Subscribe::new(9, filters)).await;
        match self.answer_or_end().await? {
            Packet::SubAck(suback) => Some(suback.codes().into_iter().map(granted).collect()),
            other => panic!("no SUBACK: {other:?}"),
        }
    }

    pub async fn unsubscribe(&mut self, filters: &[&str]) {
        self.send(&Unsubscribe::new(8, filters.iter().copied())).await;
        assert_eq!(self.next_answer().await, UnsubAck::new(8).into());
    }

    /// Publishes, and waits until the server has received it.
    pub async fn publish(&mut self, topic: &str, payload: impl Into<Bytes>) {
        self.publish_unread(topic, payload).await;
        self.ping().await;
    }

    pub async fn publish_unread(&mut self, topic: &str, payload: impl Into<Bytes>) {
        let flags = Flags::new(QoS::AtMostOnce);
        self.send(&Publish::new(topic, 0, payload.into(), flags)).await;
    }

    /// Publishes with QoS 2, with the complete handshake.
    pub async fn publish_once(&mut self, topic: &str, payload: &'static str) {
        let flags = Flags::new(QoS::ExactlyOnce);
        self.send(&Publish::new(topic, 5, payload.into(), flags)).await;
        assert_eq!(self.next_answer().await, PubRec::new(5).into());
        self.send(&PubRel::new(5)).await;
        assert_eq!(self.next_answer().await, PubComp::new(5).into());
    }

    /// Waits until the server has handled all previous packets.
    pub async fn ping(&mut self) {
        self.send(&PingReq {}).await;
        match self.next_answer().await {
            Packet::PingResp(_) => {}
            other => panic!("no PINGRESP: {other:?}"),
        }
    }

    pub async fn leave(mut self) {
        self.send(&Disconnect {}).await;
        self.closed().await;
    }

    /// Whether a message has already arrived.
    pub fn has_shown(&self) -> bool {
        !self.shown.is_empty()
    }

    /// Waits for the next message.
    pub async fn message(&mut self) -> Publish {
        self.message_or_end().await.expect("a message and not the end")
    }

    /// Waits for the next message; `None` if the server closed the connection.
    pub async fn message_or_end(&mut self) -> Option<Publish> {
        loop {
            if let Some(publish) = self.shown.pop_front() {
                return Some(publish);
            }
            match self.answer().await {
                Some(other) => panic!("no message: {other:?}"),
                None if self.shown.is_empty() => return None,
                None => {}
            }
        }
    }

    /// Waits for the next message; returns its topic and payload.
    pub async fn shown(&mut self) -> (String, String) {
        let message = self.message().await;
        let payload = String::from_utf8(message.payload().to_vec()).expect("text");
        (message.topic(), payload)
    }

    /// Waits for the next message; returns its topic and JSON.
    pub async fn json(&mut self) -> (String, serde_json::Value) {
        let (topic, payload) = self.shown().await;
        (topic, serde_json::from_str(&payload).expect("JSON"))
    }

    /// Waits until the server closes the connection; returns the packets before that.
    pub async fn closed(&mut self) -> Vec<Packet> {
        let mut packets = Vec::new();
        while let Some(packet) = self.packet().await {
            packets.push(packet);
        }
        packets
    }
}

fn granted(code: ReturnCode) -> char {
    match code {
        ReturnCode::Success(qos) => char::from(b'0' + u8::from(qos)),
        ReturnCode::Failure => 'x',
    }
}
