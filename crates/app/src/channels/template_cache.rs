//! A cache of the channels' message templates (design/channels).

use std::collections::HashMap;
use std::sync::Arc;

use confab_domain::channels::template::Template;
use confab_domain::ids::ChannelId;
use confab_domain::limits;
use confab_domain::time::Timestamp;
use parking_lot::Mutex;

/// The approved templates of a channel.
pub(crate) type Templates = Arc<[Template]>;

/// The templates that were last received from the provider, by channel.
#[derive(Default)]
pub(crate) struct TemplateCache(Mutex<HashMap<ChannelId, Listed>>);

struct Listed {
    /// Id of the business account that owns the templates.
    business: String,
    at: Timestamp,
    templates: Templates,
}

impl TemplateCache {
    /// Returns the account's templates if they were listed within the last `seconds`.
    pub(crate) fn get(
        &self,
        channel: ChannelId,
        business: &str,
        seconds: i64,
        now: Timestamp,
    ) -> Option<Templates> {
        let listed = self.0.lock();
        let found = listed.get(&channel).filter(|it| it.business == business)?;
        let is_fresh = now.0.saturating_sub(found.at.0) < seconds * 1_000_000;
        is_fresh.then(|| found.templates.clone())
    }

    pub(crate) fn put(
        &self,
        channel: ChannelId,
        business: &str,
        templates: Templates,
        now: Timestamp,
    ) {
        let mut listed = self.0.lock();
        if listed.len() >= limits::TEMPLATES_OF_CHANNELS_MAX {
            let oldest = listed.iter().min_by_key(|(_, it)| it.at).map(|(channel, _)| *channel);
            oldest.and_then(|it| listed.remove(&it));
        }
        let business = business.to_owned();
        listed.insert(channel, Listed { business, at: now, templates });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANNEL: ChannelId = ChannelId(30);

    #[test]
    fn templates_are_cached_shortly_and_for_their_account() {
        let (cache, second) = (TemplateCache::default(), 1_000_000);
        cache.put(CHANNEL, "1", Arc::new([]), Timestamp(0));
        let found = |business, seconds, now| {
            cache.get(CHANNEL, business, seconds, Timestamp(now)).is_some()
        };
        assert!(found("1", 60, 59 * second));
        assert!(!found("1", 60, 60 * second));
        assert!(!found("2", 60, 0), "the templates are of another account");
        for id in 31..1_000 {
            cache.put(ChannelId(id), "1", Arc::new([]), Timestamp(id * second));
        }
        assert!(cache.0.lock().len() <= limits::TEMPLATES_OF_CHANNELS_MAX);
        assert!(!found("1", 60, 0), "the oldest entry is evicted");
    }
}
