//! `location`: a geographic location, its coordinates possibly as strings (wire facts 3.3).

use confab_domain::messages::payload::Payload;

use crate::reading::{FieldReader, Object};

pub(super) fn read(reading: &mut FieldReader, payload: &Object<'_>) -> Option<Payload> {
    for (key, most) in [("latitude", 90.0), ("longitude", 180.0)] {
        let path = payload.path(key);
        let number = reading.number_within(&path, payload.get(key), most);
        reading.needed(&path, number);
    }
    let name = payload.text(reading, "name").unwrap_or_default();
    let address = payload.text(reading, "address").unwrap_or_default();
    let map_url = payload.url(reading, "map_url").unwrap_or_default();
    Some(Payload::Location { name, address, map_url, json: payload.json() })
}
