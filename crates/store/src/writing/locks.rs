//! Lock keys of decisions about support and staff, so that no two decisions change the same data
//! concurrently.

use confab_domain::decision::question::Question;
use confab_domain::ids::AppId;

/// Returns the lock keys of everything that the question names, including its rooms.
pub(crate) fn keys(app: AppId, question: &Question) -> Vec<i64> {
    let Some(omni) = &question.omni else { return Vec::new() };
    let rooms = question.rooms.iter().map(|room| key(app, "room", &room.shown()));
    let mut keys: Vec<_> = rooms.filter(|_| omni.finds_support).collect();
    keys.extend(others(app, question));
    keys
}

/// Returns the lock keys of everything that the question names except rooms, which have their own
/// locks. The keys are sorted, so that all nodes take them in the same order.
pub(crate) fn others(app: AppId, question: &Question) -> Vec<i64> {
    let Some(omni) = &question.omni else { return Vec::new() };
    let users = omni.agents.iter().map(|it| key(app, "user", &it.to_string()));
    let channels = omni.channels.iter().map(|it| key(app, "channel", &it.to_string()));
    let accounts = omni.accounts.iter().map(|it| key(app, "user", &it.to_string()));
    let caller = omni.by.iter().map(|it| key(app, "user", &it.user.to_string()));
    let mut keys: Vec<_> = users.chain(accounts).chain(caller).chain(channels).collect();
    if omni.counts_admins {
        keys.push(key(app, "admins", ""));
    }
    if let Some(email) = &omni.email {
        // An e-mail address is unique in the whole server.
        keys.push(key(AppId(0), "email", email.as_str()));
    }
    if let Some((channel, customer)) = &omni.customer {
        keys.push(key(app, "customer", &format!("{channel} {}", customer.as_str())));
    }
    if let Some(channel) = omni.health_of {
        keys.push(key(app, "channel_health", &channel.to_string()));
    }
    if let Some(external) = &omni.external_message {
        let name = format!("{} {} {}", external.channel, external.external_id, external.part);
        keys.push(key(app, "external_message", &name));
    }
    if omni.locks_settings {
        keys.push(key(app, "settings", ""));
    }
    if omni.finds_app {
        keys.push(key(app, "app", ""));
    }
    if omni.finds_channels {
        keys.push(key(app, "channels", ""));
    }
    if omni.finds_divisions {
        keys.push(key(app, "divisions", ""));
    }
    if omni.canned_replies_of.is_some() {
        keys.push(key(app, "canned_replies", ""));
    }
    if omni.tags.is_some() {
        keys.push(key(app, "tags", ""));
    }
    if let Some(nonce) = &omni.nonce {
        keys.push(key(app, "nonce", nonce));
    }
    if omni.upload.is_some() {
        keys.push(key(app, "uploads", ""));
    }
    if let Some(customer) = omni.properties_of {
        keys.push(key(app, "contact", &customer.to_string()));
    }
    if omni.locks_allocation {
        keys.push(key(app, "allocation", ""));
    }
    keys.sort_unstable();
    keys
}

/// Hashes a name with FNV-1a. All versions must compute the same keys, because nodes of two
/// versions may run concurrently.
fn key(app: AppId, kind: &str, name: &str) -> i64 {
    let text = format!("{app} {kind} {name}");
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, mix) as i64
}
