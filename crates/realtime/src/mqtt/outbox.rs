//! Messages that a client has not acknowledged (MQTT 3.1.1, section 4.3).

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use confab_domain::limits;
use mqute_codec::codec::Encode;
use mqute_codec::protocol::v4::{PubRel, Publish};
use mqute_codec::protocol::{Flags, QoS, util};

/// A message for one client. No `Debug`: the topic may contain a token.
pub(super) struct OutgoingMessage {
    pub(super) topic: Arc<str>,
    pub(super) payload: Bytes,
    pub(super) qos: QoS,
    pub(super) is_retained: bool,
}

/// A message that was sent and whose QoS exchange is not completed.
struct Flight {
    id: u16,
    /// The message, until the client confirms that it has received it; afterwards only the packet
    /// id is needed.
    message: Option<OutgoingMessage>,
}

/// The outbox is full because the client does not acknowledge.
#[derive(Debug)]
pub(super) struct OutboxFull;

/// Unacknowledged messages of QoS 1 and 2, in order.
#[derive(Default)]
pub(super) struct MqttOutbox {
    flights: VecDeque<Flight>,
    waiting: VecDeque<OutgoingMessage>,
    last_id: u16,
}

impl MqttOutbox {
    /// Sends a message, or queues it if too many are in flight. Messages of QoS 0 are always sent
    /// at once.
    pub(super) fn send(
        &mut self,
        message: OutgoingMessage,
        out: &mut BytesMut,
    ) -> Result<(), OutboxFull> {
        if message.qos == QoS::AtMostOnce {
            write(&message, 0, false, out);
            return Ok(());
        }
        self.keep(message)?;
        self.fill(out);
        Ok(())
    }

    /// Queues a message for a disconnected client.
    pub(super) fn keep(&mut self, message: OutgoingMessage) -> Result<(), OutboxFull> {
        if self.waiting.len() >= limits::MQTT_QUEUED_MAX {
            return Err(OutboxFull);
        }
        self.waiting.push_back(message);
        Ok(())
    }

    /// Handles PUBACK: the client has received a QoS 1 message.
    pub(super) fn acknowledge(&mut self, id: u16, out: &mut BytesMut) {
        self.flights.retain(|it| !(it.id == id && it.is_at(QoS::AtLeastOnce)));
        self.fill(out);
    }

    /// Handles PUBREC: the client has received a QoS 2 message. Answers with PUBREL.
    pub(super) fn release(&mut self, id: u16, out: &mut BytesMut) {
        let flight = self.flights.iter_mut().find(|it| it.id == id);
        let Some(flight) = flight else {
            // The exchange was already completed: the client may release the id.
            return encode(&PubRel::new(id), out);
        };
        if flight.message.is_none() || flight.is_at(QoS::ExactlyOnce) {
            flight.message = None;
            encode(&PubRel::new(id), out);
        }
    }

    /// Handles PUBCOMP: the exchange of a QoS 2 message is complete.
    pub(super) fn complete(&mut self, id: u16, out: &mut BytesMut) {
        self.flights.retain(|it| !(it.id == id && it.message.is_none()));
        self.fill(out);
    }

    /// Sends all messages in flight again, in order, to a client that resumes its session.
    pub(super) fn resend(&mut self, out: &mut BytesMut) {
        for flight in &self.flights {
            match &flight.message {
                Some(message) => write(message, flight.id, true, out),
                None => encode(&PubRel::new(flight.id), out),
            }
        }
        self.fill(out);
    }

    /// Returns all messages that the client may not have received, for a new session.
    pub(super) fn into_messages(self) -> VecDeque<OutgoingMessage> {
        let sent = self.flights.into_iter().filter_map(|it| it.message);
        sent.chain(self.waiting).collect()
    }

    fn fill(&mut self, out: &mut BytesMut) {
        while self.flights.len() < limits::MQTT_IN_FLIGHT_MAX {
            let Some(message) = self.waiting.pop_front() else { return };
            let id = self.next_id();
            write(&message, id, false, out);
            self.flights.push_back(Flight { id, message: Some(message) });
        }
    }

    fn next_id(&mut self) -> u16 {
        loop {
            self.last_id = self.last_id.checked_add(1).unwrap_or(1);
            // There are far fewer messages in flight than ids.
            if self.flights.iter().all(|it| it.id != self.last_id) {
                return self.last_id;
            }
        }
    }
}

impl Flight {
    fn is_at(&self, qos: QoS) -> bool {
        self.message.as_ref().is_some_and(|it| it.qos == qos)
    }
}

fn write(message: &OutgoingMessage, id: u16, dup: bool, out: &mut BytesMut) {
    // A channel's unique id may contain characters that topics must not contain. No client can
    // subscribe to such a channel.
    if !util::is_valid_topic_name(&message.topic) {
        return;
    }
    if message.qos == QoS::AtMostOnce {
        return write_at_most_once(message, out);
    }
    let flags = Flags { dup, qos: message.qos, retain: message.is_retained };
    encode(&Publish::new(&*message.topic, id, message.payload.clone(), flags), out);
}

/// Writes a QoS 0 message directly, without building a packet, because many clients receive the
/// same message at once.
fn write_at_most_once(message: &OutgoingMessage, out: &mut BytesMut) {
    let OutgoingMessage { topic, payload, .. } = message;
    let mut left = 2 + topic.len() + payload.len();
    out.reserve(left + 5);
    out.put_u8(0x30 | u8::from(message.is_retained));
    while left > 127 {
        out.put_u8(left as u8 | 0x80);
        left >>= 7;
    }
    out.put_u8(left as u8);
    // The length of the topic was checked above.
    out.put_u16(topic.len() as u16);
    out.put_slice(topic.as_bytes());
    out.put_slice(payload);
}

/// Encodes a packet. Fails only for packets above 256 MB, which do not occur.
pub(super) fn encode(packet: &impl Encode, out: &mut BytesMut) {
    out.reserve(packet.payload_len() + 5);
    if packet.encode(out).is_err() {
        let payload_bytes = packet.payload_len();
        tracing::error!(payload_bytes, "failed to encode an MQTT packet; this is a defect");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qos_0_messages_are_encoded_as_the_codec_encodes_them() {
        for length in [0, 1, 119, 120, 121, 16_375, 16_376, 2_097_150] {
            for is_retained in [false, true] {
                let (qos, topic) = (QoS::AtMostOnce, Arc::from("token/c"));
                let payload = Bytes::from(vec![b'x'; length]);
                let message = OutgoingMessage { topic, payload, qos, is_retained };
                let (mut written, mut expected) = (BytesMut::new(), BytesMut::new());
                write(&message, 0, false, &mut written);
                let flags = Flags { dup: false, qos, retain: is_retained };
                encode(&Publish::new("token/c", 0, message.payload, flags), &mut expected);
                assert!(written == expected, "{length} bytes, retained: {is_retained}");
            }
        }
    }
}
