//! The MQTT protocol of one connection, without a socket: bytes in, commands out.
//!
//! The protocol answers pings and acknowledgements itself. CONNECT, SUBSCRIBE and PUBLISH need
//! permission and are handled by the [`connection`](super::connection).

use bytes::{Bytes, BytesMut};
use confab_domain::limits;
use mqute_codec::protocol::QoS;
use mqute_codec::protocol::v4::{
    ConnAck, Connect, ConnectReturnCode, Packet, PingResp, PubAck, PubComp, PubRec, ReturnCode,
    SubAck, TopicQosFilter, UnsubAck,
};

use super::outbox::{MqttOutbox, OutboxFull, OutgoingMessage, encode};
use super::packets::{self, Broken};

/// A command from the client, for the connection to execute.
pub(super) enum ClientCommand {
    /// CONNECT: start the connection.
    Connect(Box<Connect>),
    /// SUBSCRIBE, with its packet id: subscribe to these filters.
    Subscribe(u16, Vec<TopicQosFilter>),
    /// UNSUBSCRIBE, with its packet id: unsubscribe from these filters.
    Unsubscribe(u16, Vec<String>),
    /// PUBLISH: publish this payload to this topic.
    Publish(String, Bytes),
    /// DISCONNECT: end the connection.
    Leave,
    /// A packet that the protocol has handled completely.
    Nothing,
}

impl ClientCommand {
    /// Returns the number of packets that the command counts as in the packet rate. Commands that
    /// need more lookups count as more.
    pub(super) fn cost(&self) -> u32 {
        let of_filters = |count: usize| 1 + (count / limits::MQTT_FILTERS_PER_COST) as u32;
        match self {
            Self::Publish(..) => limits::MQTT_PUBLISH_COST,
            Self::Subscribe(_, filters) => of_filters(filters.len()),
            Self::Unsubscribe(_, filters) => of_filters(filters.len()),
            Self::Connect(_) | Self::Leave | Self::Nothing => 1,
        }
    }
}

/// Protocol state and buffers of one connection.
#[derive(Default)]
pub(super) struct Protocol {
    /// Received bytes that are not parsed yet.
    pub(super) inward: BytesMut,
    /// Encoded packets that are not sent yet.
    pub(super) outward: BytesMut,
    pub(super) exchange: QosState,
    has_begun: bool,
}

/// State of QoS 1 and 2 exchanges. It is part of the session and outlives a connection.
#[derive(Default)]
pub(super) struct QosState {
    pub(super) outbox: MqttOutbox,
    /// Packet ids of received QoS 2 messages. Until its PUBREL arrives, a message may arrive again.
    releases: Vec<u16>,
}

impl Protocol {
    /// Parses the next packet. Returns `None` if it has not arrived completely.
    pub(super) fn next(&mut self) -> Result<Option<ClientCommand>, Broken> {
        let packet = match packets::take(&mut self.inward) {
            Ok(Some(packet)) => packet,
            Ok(None) => return Ok(None),
            Err(broken) => {
                if broken == Broken::WrongLevel && !self.has_begun {
                    self.refuse(ConnectReturnCode::UnacceptableProtocolVersion);
                }
                return Err(broken);
            }
        };
        if matches!(packet, Packet::Connect(_)) == self.has_begun {
            return Err(Broken::OutOfOrder);
        }
        self.has_begun = true;
        self.take(packet).map(Some)
    }

    fn take(&mut self, packet: Packet) -> Result<ClientCommand, Broken> {
        let Self { outward, exchange: QosState { outbox, releases }, .. } = self;
        match packet {
            Packet::Connect(connect) => return Ok(ClientCommand::Connect(Box::new(connect))),
            Packet::Subscribe(wanted) => {
                let filters = Vec::from(wanted.filters());
                if filters.len() > limits::MQTT_FILTERS_PER_PACKET {
                    return Err(Broken::TooMuch);
                }
                return Ok(ClientCommand::Subscribe(wanted.packet_id(), filters));
            }
            Packet::Unsubscribe(wanted) => {
                let filters = Vec::from(wanted.filters());
                if filters.len() > limits::MQTT_FILTERS_PER_PACKET {
                    return Err(Broken::TooMuch);
                }
                return Ok(ClientCommand::Unsubscribe(wanted.packet_id(), filters));
            }
            Packet::Publish(publish) => {
                let (qos, id) = (publish.flags().qos, publish.packet_id().unwrap_or(0));
                match qos {
                    QoS::AtMostOnce => {}
                    QoS::AtLeastOnce => encode(&PubAck::new(id), outward),
                    QoS::ExactlyOnce => {
                        encode(&PubRec::new(id), outward);
                        if releases.contains(&id) {
                            return Ok(ClientCommand::Nothing);
                        }
                        if releases.len() >= limits::MQTT_RELEASES_MAX {
                            return Err(Broken::TooMuch);
                        }
                        releases.push(id);
                    }
                }
                return Ok(ClientCommand::Publish(publish.topic(), publish.payload()));
            }
            Packet::PubAck(it) => outbox.acknowledge(it.packet_id(), outward),
            Packet::PubRec(it) => outbox.release(it.packet_id(), outward),
            Packet::PubComp(it) => outbox.complete(it.packet_id(), outward),
            Packet::PubRel(it) => {
                releases.retain(|id| *id != it.packet_id());
                encode(&PubComp::new(it.packet_id()), outward);
            }
            Packet::PingReq(_) => encode(&PingResp {}, outward),
            Packet::Disconnect(_) => return Ok(ClientCommand::Leave),
            Packet::ConnAck(_) | Packet::SubAck(_) | Packet::UnsubAck(_) | Packet::PingResp(_) => {
                return Err(Broken::OutOfOrder);
            }
        }
        Ok(ClientCommand::Nothing)
    }

    /// Accepts the connection (CONNACK). If a session is resumed, resends its messages in flight.
    pub(super) fn welcome(&mut self, has_session: bool) {
        encode(&ConnAck::new(ConnectReturnCode::Success, has_session), &mut self.outward);
        if has_session {
            self.exchange.outbox.resend(&mut self.outward);
        }
    }

    /// Refuses the connection (CONNACK).
    pub(super) fn refuse(&mut self, why: ConnectReturnCode) {
        encode(&ConnAck::new(why, false), &mut self.outward);
    }

    /// Answers a SUBSCRIBE with the granted QoS of each filter (SUBACK). `None` is encoded as the
    /// failure code 0x80.
    pub(super) fn granted(&mut self, id: u16, granted: Vec<Option<QoS>>) {
        let code = |qos: Option<QoS>| qos.map_or(ReturnCode::Failure, ReturnCode::Success);
        let codes: Vec<_> = granted.into_iter().map(code).collect();
        encode(&SubAck::new(id, codes), &mut self.outward);
    }

    /// Answers an UNSUBSCRIBE (UNSUBACK).
    pub(super) fn unsubscribed(&mut self, id: u16) {
        encode(&UnsubAck::new(id), &mut self.outward);
    }

    /// Sends a message (PUBLISH).
    pub(super) fn show(&mut self, message: OutgoingMessage) -> Result<(), OutboxFull> {
        self.exchange.outbox.send(message, &mut self.outward)
    }
}
