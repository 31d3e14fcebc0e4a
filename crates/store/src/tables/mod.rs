//! Database tables: one file per table or group of closely related tables.
//!
//! Each file has the table's columns, its statements, the function that reads a row, the functions
//! that return the writes for a change, and the methods of `Store` that read the table. Statements
//! of only one engine are in the folder of that engine. [`writes`] maps each change to its table.

pub(crate) mod agent_channels;
pub(crate) mod agents;
pub(crate) mod analytics_quarters;
pub(crate) mod apps;
pub(crate) mod attempts;
pub(crate) mod audit;
pub(crate) mod auto_replies;
pub(crate) mod blocks;
pub(crate) mod buttons;
pub(crate) mod canned_replies;
pub(crate) mod channel_accounts;
pub(crate) mod channel_messages;
pub(crate) mod channel_states;
pub(crate) mod channels;
pub(crate) mod customer_identities;
pub(crate) mod customer_info;
pub(crate) mod customer_room_lists;
pub(crate) mod customer_rooms;
pub(crate) mod deliveries;
pub(crate) mod devices;
pub(crate) mod direct_sends;
pub(crate) mod divisions;
pub(crate) mod edits;
pub(crate) mod endpoints;
pub(crate) mod files;
pub(crate) mod hidden_messages;
pub(crate) mod lanes;
pub(crate) mod message_states;
pub(crate) mod messages;
pub(crate) mod nonces;
pub(crate) mod notes;
pub(crate) mod page_settings;
pub(crate) mod participants;
pub(crate) mod presences;
pub(crate) mod room_agents;
pub(crate) mod room_events;
pub(crate) mod rooms;
pub(crate) mod search;
pub(crate) mod seen_marks;
pub(crate) mod served_rooms;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod sign_in_codes;
pub(crate) mod sign_ins;
pub(crate) mod tags;
pub(crate) mod trail;
pub(crate) mod user_grams;
pub(crate) mod user_search;
pub(crate) mod users;
pub(crate) mod writes;

use crate::sql::Statement;

/// Statements of PostgreSQL's writer, prepared when a connection is opened.
pub(crate) static PREPARED: [&[&Statement]; 47] = [
    agent_channels::PREPARED,
    agents::PREPARED,
    analytics_quarters::PREPARED,
    apps::PREPARED,
    audit::PREPARED,
    attempts::PREPARED,
    blocks::PREPARED,
    buttons::PREPARED,
    canned_replies::PREPARED,
    channel_accounts::PREPARED,
    channel_messages::PREPARED,
    channel_states::PREPARED,
    channels::PREPARED,
    customer_identities::PREPARED,
    customer_info::PREPARED,
    customer_rooms::PREPARED,
    deliveries::PREPARED,
    devices::PREPARED,
    direct_sends::PREPARED,
    divisions::PREPARED,
    endpoints::PREPARED,
    files::PREPARED,
    auto_replies::PREPARED,
    edits::PREPARED,
    hidden_messages::PREPARED,
    lanes::PREPARED,
    message_states::PREPARED,
    messages::PREPARED,
    nonces::PREPARED,
    notes::PREPARED,
    page_settings::PREPARED,
    participants::PREPARED,
    presences::PREPARED,
    room_agents::PREPARED,
    room_events::PREPARED,
    rooms::PREPARED,
    search::PREPARED,
    seen_marks::PREPARED,
    served_rooms::PREPARED,
    sessions::PREPARED,
    settings::PREPARED,
    sign_in_codes::PREPARED,
    sign_ins::PREPARED,
    tags::PREPARED,
    trail::PREPARED,
    user_grams::PREPARED,
    users::PREPARED,
];
