//! Information about customers: infos, which belong to one room, and properties, which a customer
//! has in all rooms.

use confab_domain::ids::{PropertyId, RoomId, UserKey};
use confab_domain::webhooks::event::{CustomerProperty, Info};

use crate::error::Read;
use crate::sql::{Ask, Row, ValueRow, prepared, values};
use crate::store::Store;

prepared! {
    INFOS = "SELECT label, value FROM room_infos WHERE room = $1 ORDER BY label";
    PUT_INFO = "INSERT INTO room_infos (room, label, value) VALUES ($1, $2, $3) \
        ON CONFLICT (room, label) DO UPDATE SET value = excluded.value";
    REMOVE_INFOS = "DELETE FROM room_infos WHERE room = $1";
    REMOVE_INFO = "DELETE FROM room_infos WHERE room = $1 AND label = $2";
    PROPERTIES_IN_ROOM = "SELECT p.id, p.label, p.value FROM customer_properties p \
        JOIN customer_rooms c ON c.customer = p.customer WHERE c.room = $1 ORDER BY p.id";
    PROPERTIES_OF_CUSTOMER = "SELECT id, label, value FROM customer_properties \
        WHERE customer = $1 ORDER BY id";
    REMOVE_PROPERTIES = "DELETE FROM customer_properties WHERE customer = $1";
    REMOVE_PROPERTY = "DELETE FROM customer_properties WHERE customer = $1 AND id = $2";
    PUT_PROPERTY = "INSERT INTO customer_properties (customer, id, label, value) \
        VALUES ($1, $2, $3, $4) \
        ON CONFLICT (customer, label) DO UPDATE SET value = excluded.value";
}

pub(crate) fn info(row: &ValueRow) -> Read<Info> {
    Ok(Info { key: row.text(0)?, value: row.text(1)? })
}

pub(crate) fn property(row: &ValueRow) -> Read<CustomerProperty> {
    Ok(CustomerProperty {
        id: PropertyId(row.number(0)?),
        label: row.text(1)?,
        value: row.text(2)?,
    })
}

pub(crate) fn put_info(room: RoomId, info: &Info) -> Vec<Ask> {
    vec![Ask::new(&PUT_INFO, values![room.0, &info.key, &info.value])]
}

pub(crate) fn remove_info(room: RoomId, key: &str) -> Vec<Ask> {
    vec![Ask::new(&REMOVE_INFO, values![room.0, key])]
}

pub(crate) fn put_property(customer: UserKey, property: &CustomerProperty) -> Vec<Ask> {
    let values = values![customer.0, property.id.0, &property.label, &property.value];
    vec![Ask::new(&PUT_PROPERTY, values)]
}

pub(crate) fn remove_property(customer: UserKey, property: PropertyId) -> Vec<Ask> {
    vec![Ask::new(&REMOVE_PROPERTY, values![customer.0, property.0])]
}

/// Deletes the infos of a room.
pub(crate) fn remove_infos(room: RoomId) -> Vec<Ask> {
    vec![Ask::new(&REMOVE_INFOS, values![room.0])]
}

/// Deletes all properties of a customer.
pub(crate) fn remove_all(customer: UserKey) -> Vec<Ask> {
    vec![Ask::new(&REMOVE_PROPERTIES, values![customer.0])]
}

impl Store {
    /// Returns the properties of a customer. The caller must check that the customer belongs to its
    /// app.
    pub async fn properties_of(&self, customer: UserKey) -> Read<Vec<CustomerProperty>> {
        self.asked(Ask::new(&PROPERTIES_OF_CUSTOMER, values![customer.0]), property).await
    }

    /// Returns the infos of a room.
    pub async fn infos(&self, room: RoomId) -> Read<Vec<Info>> {
        self.asked(Ask::new(&INFOS, values![room.0]), info).await
    }
}
