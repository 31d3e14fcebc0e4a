//! `GET /mqtt`: MQTT over WebSocket (wire facts 4.4).

use std::io;
use std::sync::Arc;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, State};
use axum::response::Response;
use bytes::BytesMut;
use confab_app::services::Services;
use confab_domain::limits;
use confab_realtime::mqtt::{MqttTransport, serve_connection};
use confab_runtime::admission::activity::Activity;
use confab_store::ReaderScope;

/// Size in bytes of the read buffer that each connection allocates.
const READ_BYTES: usize = 1024;

pub(crate) async fn handler(
    State(services): State<Services>,
    Extension(activity): Extension<Arc<Activity>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    activity.is_admitted_later();
    upgrade
        .protocols(["mqtt", "mqttv3.1"])
        // A frame may contain several packets, or a part of one.
        .max_message_size(limits::MQTT_PACKET_BYTES_MAX + 5)
        .max_frame_size(limits::MQTT_PACKET_BYTES_MAX + 5)
        .read_buffer_size(READ_BYTES)
        .write_buffer_size(0)
        .on_upgrade(move |socket| {
            let realtime = services.realtime().clone();
            ReaderScope::default().run(serve_connection(realtime, Frames { socket, activity }))
        })
}

/// The byte stream of MQTT packets in the binary frames of a WebSocket. A frame may contain several
/// packets, or a part of one.
struct Frames {
    socket: WebSocket,
    activity: Arc<Activity>,
}

impl MqttTransport for Frames {
    async fn receive(&mut self, to: &mut BytesMut) -> io::Result<bool> {
        loop {
            match self.socket.recv().await {
                Some(Ok(Message::Binary(bytes))) => {
                    to.extend_from_slice(&bytes);
                    return Ok(true);
                }
                // The library answers pings.
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Text(_))) => return Err(io::ErrorKind::InvalidData.into()),
                Some(Ok(Message::Close(_))) | None => return Ok(false),
                Some(Err(error)) => return Err(io::Error::other(error)),
            }
        }
    }

    async fn send(&mut self, bytes: BytesMut) -> io::Result<()> {
        self.socket.send(Message::Binary(bytes.freeze())).await.map_err(io::Error::other)
    }

    fn activity(&self) -> &Activity {
        &self.activity
    }
}
