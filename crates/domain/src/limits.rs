//! Named bounds on what callers send and on what the server holds or does at once.
//!
//! A request beyond a bound gets a clear error. Names end in their unit or in what they count.

// Requests.
/// Characters (Unicode scalar values) of a message (spec 8).
pub const MESSAGE_CHARS_MAX: usize = 4000;
/// Characters quoted from a message of another room above a customer's reply to it.
pub const QUOTED_CHARS_MAX: usize = 300;
/// Unique ids in one delete call (spec 8).
pub const DELETE_IDS_MAX: usize = 3;
/// Messages per page if the caller names no size or too large a one (spec 8).
pub const PAGE_DEFAULT: usize = 20;
/// Largest page size that a caller may request (spec 8).
pub const PAGE_MAX: usize = 100;
pub const USER_ID_CHARS_MAX: usize = 255;
pub const ROOM_UNIQUE_ID_CHARS_MAX: usize = 255;
/// Characters of a message's unique id, if the client sets it.
pub const UNIQUE_ID_CHARS_MAX: usize = 128;
/// Characters of a display name or room name.
pub const NAME_CHARS_MAX: usize = 255;
/// Characters of a URL in a profile or room.
pub const URL_CHARS_MAX: usize = 2048;
/// Bytes of a room's options or a user's extras.
pub const OPTIONS_BYTES_MAX: usize = 65_536;
/// Bytes of a message's payload, as sent.
pub const PAYLOAD_BYTES_MAX: usize = 65_536;
pub const EXTRAS_BYTES_MAX: usize = 65_536;
pub const PASSWORD_CHARS_MAX: usize = 255;
/// Divisor of the number of concurrent requests: a user, agent or address gets one share of this
/// many.
pub const REQUESTS_SHARE: usize = 8;
/// Users named in one call.
pub const CALL_USERS_MAX: usize = 100;
/// Characters of a user id with its channel id and a colon as prefix.
pub const ADDRESS_CHARS_MAX: usize = USER_ID_CHARS_MAX + 17;
/// Customers listed in the refusal of an ambiguous user id.
pub const NAMED_ADDRESSES_MAX: usize = 5;
/// Rooms named in one call.
pub const CALL_ROOMS_MAX: usize = 100;
/// Users checked by a query for those with unread messages.
pub const UNREAD_USERS_SCANNED: usize = 5_000;
/// Participants of one room.
pub const ROOM_PARTICIPANTS_MAX: usize = 10_000;
/// Buttons of a `buttons` message. Channels show only as many as their provider allows.
pub const BUTTONS_MAX: usize = 20;
/// Buttons of one card.
pub const CARD_BUTTONS_MAX: usize = 20;
/// Cards of a carousel.
pub const CAROUSEL_CARDS_MAX: usize = 20;
/// Targets of one broadcast.
pub const BROADCAST_TARGETS_MAX: usize = 100;
/// Nesting depth of arrays and objects in a JSON body.
pub const JSON_DEPTH_MAX: usize = 64;
/// Bytes of a request body.
pub const BODY_BYTES_MAX: usize = 262_144;
/// Bytes of all request bodies in memory, arriving or being processed.
pub const BODIES_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Bytes of request bodies in memory from one address.
pub const BODIES_OF_PEER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Size in bytes up to which a request body does not count toward its address's share.
pub const SMALL_BODY_BYTES: usize = 16_384;
/// Milliseconds that a body may take to arrive while another body lacks memory.
pub const BODY_PATIENCE_MS: u64 = 1_000;
/// Messages returned by one `load_comments_with_range` call.
pub const RANGE_MESSAGES_MAX: usize = 100;

pub const EMAIL_CHARS_MAX: usize = 254;
/// Minimum characters of an agent's new password.
pub const PASSWORD_CHARS_MIN: usize = 8;
/// Failed sign-ins to one account from one address before further ones are slowed down (D-0069).
pub const SIGN_IN_TRIES_MAX: u32 = 10;
/// Failed sign-ins to one account from all addresses without a recent successful sign-in to it.
pub const ACCOUNT_SIGN_IN_TRIES_MAX: u32 = 100;
/// Milliseconds after which one more failed sign-in to an account is allowed.
pub const SIGN_IN_TRY_EVERY_MS: u64 = 60_000;
/// Failed sign-ins from one address to any accounts, counted per app.
pub const PEER_SIGN_IN_TRIES_MAX: u32 = 100;
/// Milliseconds after which one more failed sign-in from an address is allowed.
pub const PEER_SIGN_IN_TRY_EVERY_MS: u64 = 1_000;
/// Counters of failed sign-ins per process. The ones with the lowest counts are evicted first.
pub const SIGN_IN_COUNTERS_MAX: usize = 50_000;
/// Pairs of an account and an address with a successful sign-in that a process remembers.
pub const SIGN_IN_PLACES_MAX: usize = 10_000;
/// Days for which a browser that signed in to an account is recognized (D-0069).
pub const KNOWN_DEVICE_DAYS: u32 = 180;
/// Days until a sign-in expires.
pub const SIGN_IN_DAYS: u32 = 30;
/// Conversations that one dashboard page can follow at the same time.
pub const INBOX_OPEN_ROOMS_MAX: usize = 20;
/// Missed messages of a conversation that a dashboard page receives when it opens the conversation.
pub const INBOX_MISSED_MAX: usize = 200;
/// Inbox rows that a connection remembers having sent.
pub const INBOX_ROWS_REMEMBERED: usize = 10_000;
/// Cookies of a page's sign-in that a request may have: all of them are tried (D-0111).
pub const COOKIES_TRIED_MAX: usize = 8;
/// Days until a sign-in link expires.
pub const SIGN_IN_CODE_DAYS: u32 = 1;
/// Largest waiting time, in seconds, that an app may set for highlighting a customer.
pub const WAITING_SHOWN_MAX_S: u32 = 86_400;
/// Characters of a text in an audit entry.
pub const AUDIT_TEXT_CHARS_MAX: usize = 200;
/// Valid sign-in links of one account.
pub const SIGN_IN_CODES_MAX: usize = 10;
/// Seconds between two records that a sign-in is in use.
pub const SIGN_IN_SEEN_EVERY_S: i64 = 300;
/// Characters of a browser's name.
pub const BROWSER_CHARS_MAX: usize = 60;
/// Valid sign-ins of one account.
pub const SIGN_INS_MAX: usize = 100;
/// Bytes of an agent's dashboard preferences.
pub const PREFERENCES_BYTES_MAX: usize = 8_192;
/// Default waiting time, in seconds, after which a customer is shown in amber.
pub const WAITING_AMBER_S: u32 = 120;
/// Default waiting time, in seconds, after which a customer is shown in red.
pub const WAITING_RED_S: u32 = 300;
/// Divisions of one app.
pub const DIVISIONS_MAX: usize = 100;
/// Canned replies shared in an app, and private ones of each agent.
pub const CANNED_REPLIES_MAX: usize = 500;
/// Newest rooms of a customer that are checked for one that the caller may see.
pub const CONTACT_ROOMS_SCANNED: usize = 20;
/// Customers whose rooms are read at a time.
pub const CONTACTS_PER_READ: usize = 100;
/// Opening intervals in a week's office hours.
pub const OFFICE_STRETCHES_MAX: usize = 50;
/// Channels that one agent may be restricted to.
pub const AGENT_CHANNELS_MAX: usize = 100;
/// Largest number of customers per agent that an app may set.
pub const AGENT_CUSTOMERS_MAX: u32 = 10_000;
/// Largest number of agents per room that an app may set.
pub const ROOM_AGENTS_MAX: u32 = 100;
/// Longest time, in seconds, that an app may let an absent agent keep their customers.
pub const OFFLINE_GRACE_MAX_S: u32 = 86_400;

/// Participants included in a room's public JSON. The rest is listed page by page.
pub const ROOM_PARTICIPANTS_SHOWN_MAX: usize = 100;
/// Users that one user may block.
pub const BLOCKS_OF_USER_MAX: usize = 1_000;
/// Devices of one user. The oldest is removed first.
pub const DEVICES_OF_USER_MAX: usize = 20;
pub const DEVICE_TOKEN_CHARS_MAX: usize = 1_024;
/// Users counted for a client's user search.
pub const USERS_COUNTED_MAX: usize = 10_000;
/// Matches of the user index that a search reads; of more, these are listed (D-0208).
pub const USERS_SCANNED: usize = 20_000;
/// Three-character pieces of a search text that are looked up in the user index.
pub const SEARCH_GRAMS_MAX: usize = 32;
pub const FILE_NAME_CHARS_MAX: usize = 255;
/// Bytes of an upload besides its file: form headers and other fields.
pub const UPLOAD_EXTRA_BYTES_MAX: usize = 65_536;
/// Concurrent uploads per process that have not sent a token yet.
pub const UNPROVEN_UPLOADS_MAX: usize = 64;
/// Concurrent uploads without a token from one address.
pub const UNPROVEN_UPLOADS_OF_PEER_MAX: usize = 8;
/// Bytes of all uploads without a token. One file of the largest size always fits.
pub const UNPROVEN_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// Bytes of uploads without a token from one address.
pub const UNPROVEN_BYTES_OF_PEER_MAX: u64 = 128 * 1024 * 1024;
/// Milliseconds after which arriving bytes no longer extend the timeout of an upload without a
/// token.
pub const UNPROVEN_UPLOAD_MAX_MS: u64 = 300_000;
/// Seconds after which an upload may be retried that found too little free disk space.
pub const FREE_SPACE_RETRY_S: u64 = 60;
/// Bytes of an upload that restart its request timeout: about a thousand per second.
pub const UPLOAD_PROGRESS_BYTES: usize = 32_768;
/// Microseconds without a write after which an upload counts as left behind by its process: one
/// day.
pub const UPLOAD_LEFT_US: i64 = 24 * 3600 * 1_000_000;
/// Bytes of an upload processed at a time.
pub const UPLOAD_PIECE_BYTES: usize = 65_536;
/// Concurrent disk writes of uploads, per process.
pub const FILE_WRITES_AT_ONCE: usize = 8;
/// Bytes of a file written or read at a time.
pub const FILE_CHUNK_BYTES: usize = 262_144;

// The server.
/// Writes waiting for the store's writer.
pub const WRITE_QUEUE_MAX: usize = 8192;
/// Writes in one commit.
pub const COMMIT_WRITES_MAX: usize = 1024;
/// Milliseconds for which `/ready` reports the result of the last write instead of writing again.
pub const READY_WRITE_EVERY_MS: u64 = 1_000;
/// Seconds after which a write that found the disk full, or a read that found damage, may be
/// retried. Either needs the operator.
pub const OPERATOR_RETRY_AFTER_S: u64 = 30;
/// Connections that read the embedded store.
pub const READERS_MAX: usize = 16;
/// Connections per node to PostgreSQL for frequent reads.
pub const POSTGRES_READERS_MAX: usize = 8;
/// Connections per node to PostgreSQL that read lists. With one for the writer and two for
/// notifications, a node has fifteen.
pub const POSTGRES_LISTERS_MAX: usize = 4;
/// Minimum of the statements of lists that run at once on the embedded store. With more processors,
/// it is one per processor, up to `READERS_MAX` (D-0207).
pub const LISTS_AT_ONCE_MIN: usize = 4;
/// Divisor of the statements of lists that run at once: the maximum for one app.
pub const LISTS_OF_APP_SHARE: usize = 2;
/// Divisor of the statements of lists that run at once: the maximum for one agent or user, at least
/// one.
pub const LISTS_OF_CALLER_SHARE: usize = 4;
/// Divisor of the statements of lists that run at once: the maximum of searches among them.
pub const SEARCHES_SHARE: usize = 2;
/// Divisor of the statements of lists that run at once: the maximum of searches of one app, at
/// least one.
pub const SEARCHES_OF_APP_SHARE: usize = 4;
/// Searches of one agent or user that run at once.
pub const SEARCHES_OF_CALLER_MAX: usize = 1;
/// Milliseconds after which a search is canceled.
pub const SEARCH_MS_MAX: u64 = 3_000;
/// Statements of lists, or searches, of one app that wait.
pub const LISTS_WAITING_OF_APP_MAX: usize = 1_024;
/// Statements of lists of one agent or user that wait.
pub const LISTS_WAITING_OF_CALLER_MAX: usize = 32;
/// Searches of one agent or user that wait.
pub const SEARCHES_WAITING_OF_CALLER_MAX: usize = 3;
/// Milliseconds that a statement of a list, or a search, waits until it is refused.
pub const READ_WAIT_MAX_MS: u64 = 10_000;
/// Nodes on one PostgreSQL database. The last of the six-bit node numbers in ids is for commands.
pub const NODES_MAX: i64 = 63;
/// Seconds without a heartbeat after which a node loses its number.
pub const NODE_LEASE_S: u64 = 60;
/// Rooms, users and memberships that the embedded store's writer caches, of each.
pub const WRITER_MEMORY_MAX: usize = 50_000;
/// Rooms whose newest message positions stay cached after they are written.
pub const PLACES_ROOMS_MAX: usize = 16_384;
/// Bytes of messages that are read with a page, and at a time after that. One message may exceed it
/// (D-0081).
pub const PAGE_READ_BYTES: usize = 262_144;
/// First rooms of a list that are read at once. Their size decides how many are read next.
pub const ROOMS_AT_FIRST: usize = 10;
/// Largest response, in bytes, that is rendered as a whole before it is sent.
pub const ANSWER_WHOLE_BYTES: usize = 262_144;
/// Misspelled fields named by one refusal.
pub const MISSPELT_FIELDS_MAX: usize = 8;
/// Smallest list of messages, in bytes, that is compressed for clients that accept it.
pub const COMPRESSED_BYTES_MIN: u64 = 2_048;
/// Bytes of a larger response that are rendered at a time, plus one item.
pub const ANSWER_CHUNK_BYTES: usize = 65_536;
/// Bytes that a list needs while it is streamed: rows read ahead, one chunk, and the connection's
/// buffer.
pub const STREAMED_ANSWER_BYTES: usize = 1024 * 1024;
/// Bytes of large responses to one user that wait to be sent.
pub const UNSENT_USER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Bytes of large responses to all users of an app that wait to be sent, and separately of those to
/// the app itself.
pub const UNSENT_APP_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Bytes of one room's cached first page.
pub const FIRST_PAGE_BYTES_MAX: usize = 262_144;
/// First pages whose versions are checked together.
pub const FIRST_PAGES_ASKED_MAX: usize = 1024;
/// Bytes of all cached first pages.
pub const FIRST_PAGES_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes of cached responses with first pages.
pub const SHOWN_PAGES_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Messages whose positions are not written yet. A start reads at most as many again.
pub const PLACES_UNWRITTEN_MAX: usize = 65_536;
/// Apps whose keys are cached.
pub const KNOWN_APPS_MAX: usize = 10_000;
/// Milliseconds for which cached keys of an app may be stale.
pub const KNOWN_APP_AGE_MS: u64 = 1_000;
/// Default number of days for which an old secret key stays valid next to the new one.
pub const KEY_OVERLAP_DAYS_DEFAULT: u32 = 7;
/// Largest number of days for which an old secret key may stay valid.
pub const KEY_OVERLAP_DAYS_MAX: u32 = 30;
/// Deliveries read in one poll.
pub const DELIVERIES_PER_READ: usize = 5_000;
/// Deliveries read with their bodies in one poll.
pub const WHOLE_PER_READ: usize = 256;
/// Seconds without a heartbeat after which a node loses its buckets.
pub const BUCKET_LEASE_S: u64 = 15;
/// Deliveries counted for the backlog metrics.
pub const BACKLOG_COUNTED_MAX: usize = 10_000;
/// Old deliveries purged in one commit of the embedded store.
pub const PURGED_PER_COMMIT: usize = 500;
/// Days for which message events are retained for clients that catch up.
pub const EVENT_RETENTION_DAYS: i64 = 30;
/// Deliveries that one call checks to find the matching ones.
pub const DELIVERIES_SCANNED_MAX: usize = 5_000;
/// Deliveries that one call can replay.
pub const REPLAYED_PER_CALL_MAX: usize = 1_000;
/// Deliveries read at a time while searching for matching ones.
pub const DELIVERIES_PER_SCAN: usize = 500;
/// Events retained for the listeners of one app.
pub const LISTEN_EVENTS_MAX: usize = 1_000;
/// Events in one response to a listener.
pub const LISTEN_EVENTS_PER_CALL: usize = 100;
/// Seconds for which events are retained for a listener between two calls.
pub const LISTEN_RETENTION_S: u64 = 60;
/// Longest time, in seconds, that one call of a listener may wait.
pub const LISTEN_WAIT_MAX_S: u64 = 25;
/// Milliseconds that a test of an endpoint may take, response included. Shorter than the request
/// timeout.
pub const ENDPOINT_TRY_MAX_MS: u32 = 25_000;
/// Milliseconds that a webhook waits for the response to the previous webhook of the same cause.
pub const WEBHOOK_TURN_MAX_MS: u64 = 500;
/// Webhooks that may trigger each other, nested.
pub const WEBHOOK_DEPTH_MAX: u32 = 3;
/// Participants listed in an event.
pub const NOTICE_PARTICIPANTS_MAX: usize = 100;
/// Bytes of a webhook body that a caller sends to test an endpoint.
pub const TRIED_BODY_BYTES_MAX: usize = 131_072;
/// Characters of a webhook body whose signature a caller wants verified.
pub const VERIFIED_BODY_CHARS_MAX: usize = 200_000;
/// Characters of a signature header or key to verify.
pub const VERIFIED_HEADER_CHARS_MAX: usize = 4_096;
/// Newest attempts of a delivery whose signatures are verified.
pub const VERIFIED_ATTEMPTS_MAX: usize = 100;
/// Agents of one app that are listed or considered at once.
pub const CANDIDATES_MAX: usize = 1_000;
/// Rooms that a deleted agent leaves at once.
pub const LEFT_ROOMS_MAX: usize = 10_000;
/// Seconds after which an event from a customer, or a message to one, is too old to be processed.
pub const CHANNEL_AGE_MAX_S: u64 = 24 * 3600;
/// Seconds for which a failing send blocks later messages to the customer.
pub const CHANNEL_BLOCK_S: u32 = 120;
/// Milliseconds for one attempt at a provider, media included.
pub const CHANNEL_ATTEMPT_MS: u32 = 60_000;
/// Requests per second of a Telegram bot.
pub const TELEGRAM_PER_SECOND_MAX: u32 = 30;
/// LMTP connections from mail servers.
pub const LMTP_CONNECTIONS_MAX: usize = 64;
/// KiB of mails that arrive by LMTP or wait to be read.
pub const LMTP_MAILS_KIB_MAX: u32 = 128 * 1024;
/// KiB of mails that are read at once, by LMTP and IMAP together. A mail that is read holds a few
/// times its size, so this is the size of one mail of the largest kind.
pub const MAILS_READ_KIB_MAX: u32 = 25 * 1024;
/// Minimum KiB that a mail counts among the mails that are read at once, because its parsed headers
/// need many times their size.
pub const MAIL_READ_KIB_MIN: u32 = MAILS_READ_KIB_MAX / 4;
/// Bytes of an LMTP command.
pub const LMTP_LINE_BYTES_MAX: usize = 2_048;
/// Recipients of one mail.
pub const LMTP_RECIPIENTS_MAX: usize = 100;
/// Events in one provider webhook or in one response to a poll.
pub const CHANNEL_EVENTS_MAX: usize = 1_000;
/// Seconds after a customer's message during which WhatsApp accepts any message.
pub const WHATSAPP_WINDOW_S: i64 = 24 * 3600;
/// Seconds after a customer's message during which Messenger and Instagram accept any message
/// (channel facts 4.2).
pub const MESSENGER_WINDOW_S: i64 = 24 * 3600;
/// Seconds during which agents may still answer with the human agent tag, if the channel enables
/// it.
pub const HUMAN_AGENT_WINDOW_S: i64 = 7 * 24 * 3600;
/// Newest messages sent before a customer's read receipt that are checked for it.
pub const RECEIPT_MESSAGES_MAX: usize = 100;
/// Messages per second of a WhatsApp number.
pub const WHATSAPP_PER_SECOND_MAX: u32 = 80;
/// Seconds until a message is sent again that WhatsApp refused for a closed window, although the
/// window is open as far as the server knows.
pub const WINDOW_AGAIN_S: u64 = 30;
/// Seconds for which a status is retained that arrived before its send was recorded.
pub const EARLY_STATUS_MAX_S: u64 = 3600;
/// Longest pause, in seconds, between two attempts to apply it.
pub const EARLY_STATUS_PAUSE_MAX_S: u64 = 300;
/// Days for which the states of direct sends are retained (D-0155).
pub const DIRECT_SEND_RETENTION_DAYS: i64 = 30;
/// Milliseconds that a provider has to answer a direct send. Shorter than the request timeout.
pub const DIRECT_SEND_MS: u64 = 20_000;
/// Bytes of a provider webhook's body. Providers send up to 3 MB.
pub const HOOK_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Bytes that are hashed to find out which app secret signed one webhook: the length of its body
/// times the secrets that are tried. One secret is always tried.
pub const HOOK_HASHED_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes up to which a webhook is hashed on the thread that serves it; more is hashed elsewhere,
/// one webhook at a time.
pub const SMALL_HOOK_HASHED_BYTES: usize = 64 * 1024;
/// Bytes hashed for forged webhooks of one address before it is refused for a while.
pub const FORGED_HOOK_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Minimum number of bytes that a forged webhook counts.
pub const FORGED_HOOK_BYTES_MIN: u64 = 64 * 1024;
/// Bytes by which the count of an address is reduced each second.
pub const FORGED_HOOK_BYTES_PER_S: u64 = 1024 * 1024;
/// Addresses whose forged webhooks are counted.
pub const FORGING_PEERS_MAX: usize = 10_000;
/// Pages of templates read from a provider, 100 templates each.
pub const TEMPLATE_PAGES_MAX: usize = 20;
/// Channels whose templates are cached.
pub const TEMPLATES_OF_CHANNELS_MAX: usize = 64;
/// Values of one kind that a template is filled with.
pub const TEMPLATE_VALUES_MAX: usize = 100;
/// Characters of one template value.
pub const TEMPLATE_VALUE_CHARS_MAX: usize = 2_048;
/// Recipients of one broadcast by phone number.
pub const BROADCAST_NUMBERS_MAX: usize = 100;
/// Bytes read of a provider's response.
pub const SERVICE_ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// LINE customers whose newest reply token is cached.
pub const REPLY_TOKENS_MAX: usize = 20_000;
/// Channels of one app. A gateway's key is compared with the keys of all channels.
pub const CHANNELS_MAX: usize = 100;
/// Minimum characters of a channel's key.
pub const CHANNEL_KEY_CHARS_MIN: usize = 8;
/// Maximum characters of a channel's key.
pub const CHANNEL_KEY_CHARS_MAX: usize = 255;
/// Properties that the widget may send for a customer.
pub const USER_PROPERTIES_MAX: usize = 100;
/// Seconds until a nonce, or an identity token made with it, expires.
pub const NONCE_TTL_S: i64 = 600;
/// Seconds until a ticket for `/realtime` expires.
pub const REALTIME_TICKET_TTL_S: i64 = 30;
/// Attempts to find a customer's room for a message while other decisions change it.
pub const ROOM_TRIES_MAX: usize = 5;
/// Tags of one room.
pub const ROOM_TAGS_MAX: usize = 100;
/// Characters of a tag, a label or the key of an info.
pub const LABEL_CHARS_MAX: usize = 100;
/// Characters of a widget text, or of an origin that may embed the widget.
pub const WIDGET_TEXT_CHARS_MAX: usize = 500;
/// Fields that the widget asks a visitor to fill in before they write.
pub const WIDGET_FIELDS_MAX: usize = 10;
/// Origins that may embed the widget.
pub const WIDGET_ORIGINS_MAX: usize = 50;
/// Characters of an info's value, and of notes.
pub const INFO_CHARS_MAX: usize = 4_000;
/// Notes on one room.
pub const NOTES_OF_ROOM_MAX: usize = 5_000;
/// Infos of a customer in one room, and properties of a customer in all rooms.
pub const INFOS_MAX: usize = 100;
/// Custom buttons of one app, including deleted ones.
pub const BUTTONS_OF_APP_MAX: usize = 1_000;
/// Customers' rooms that one call checks to find the matching ones.
pub const ROOMS_SCANNED_MAX: usize = 5_000;
/// Customers' rooms counted for a total.
pub const ROOMS_COUNTED_MAX: usize = 100_000;
/// Formerly served rooms of an agent that are sorted for each page. If there are more, the app's
/// rooms are scanned in their order instead.
pub const SERVED_ROOMS_SORTED_MAX: usize = 2_000;
/// Customers' rooms read at a time.
pub const ROOMS_PER_SCAN: usize = 500;
/// Messages and users that one step of the search indexer adds.
pub const INDEX_STEP: usize = 200;
/// Messages that one step checks, because most may be in rooms that are not searchable.
pub const INDEX_MESSAGES_SCANNED: usize = 2_000;
/// Milliseconds for which a node holds the search index.
pub const INDEX_HELD_MS: i64 = 30_000;
/// Longest time, in minutes, without a message before a conversation is resolved automatically.
pub const IDLE_RESOLVE_MINUTES_MAX: u32 = 30 * 24 * 60;
/// Seconds after the question during which a customer may rate a conversation.
pub const RATING_PERIOD_S: i64 = 86_400;
/// Characters of the rating question: as many as providers' buttons allow.
pub const RATING_QUESTION_CHARS_MAX: usize = 1_000;
/// Characters of a rating answer: as many as providers' buttons allow.
pub const RATING_LABEL_CHARS_MAX: usize = 20;
/// Analytics rows corrected in one commit of a recount.
pub const RECOUNTED_PER_COMMIT: i64 = 2_000;
/// Messages erased or exported at a time.
pub const ERASED_PER_COMMIT: usize = 100;
/// Words of a message that are indexed.
pub const SEARCH_WORDS_OF_MESSAGE_MAX: usize = 1_000;
/// Letters of a word that are indexed.
pub const SEARCH_WORD_CHARS_MAX: usize = 40;
/// Words of one search.
pub const SEARCH_WORDS_MAX: usize = 8;
/// Index hits that one search call checks for visibility.
pub const SEARCH_HITS_MAX: usize = 1_000;
/// Letters shown on each side of the first word found.
pub const SEARCH_CUT_CHARS: usize = 80;
/// Newest messages of a room that are checked for the one shown as its last.
pub const LAST_MESSAGES_SCANNED: usize = 20;
/// Waiting customers considered in one pass over an app's queue.
pub const QUEUE_SCANNED: usize = 10_000;
/// Waiting customers read at a time.
pub const QUEUE_PER_READ: usize = 500;
/// Tags of one app that are listed.
pub const TAGS_MAX: usize = 1_000;
/// Concurrent delivery attempts of all endpoints, if the limit on open files allows it.
pub const ATTEMPTS_AT_ONCE_MAX: usize = 20_000;
/// Additional attempts that wait for a third party, such as for a customer's file.
pub const ATTEMPTS_ASIDE_MAX: usize = 10_000;
/// Customers' files fetched from providers at once, if the limit on open files allows it.
pub const FETCHES_AT_ONCE_MAX: usize = 2_048;
/// Bytes of one hint between nodes (D-0040).
pub const BUS_FRAME_BYTES_MAX: usize = 7_000;
/// Bytes of names in a hint about the viewers of a conversation.
pub const VIEWERS_HINT_BYTES_MAX: usize = 4_000;
/// Hints waiting to be sent to other nodes.
pub const BUS_QUEUE_MAX: usize = 4_096;
/// Hints of other nodes waiting to be processed.
pub const BUS_HINTS_MAX: usize = 4_096;
/// Bytes of hints sent in one packet.
pub const BUS_PACKET_BYTES_MAX: usize = 32_768;
/// Received packets waiting to be processed.
pub const BUS_PACKETS_MAX: usize = 1_024;
/// Age of a packet of another node past which it is dropped, in milliseconds; also how far the
/// clocks of two nodes may differ until they stop accepting each other's packets.
pub const BUS_PACKET_AGE_MAX_MS: u64 = 30_000;
/// Nodes whose hints are numbered to detect gaps.
pub const BUS_SENDERS_MAX: usize = 1_024;
/// Milliseconds of silence after which a node counts as missing.
pub const BUS_SILENCE_MAX_MS: u64 = 5_000;
/// Passwords hashed at the same time.
pub const HASHING_MAX: usize = 2;
/// Passwords waiting to be hashed in one queue: those of one app and kind (D-0069).
pub const HASHING_QUEUE_MAX: usize = 256;
/// Passwords from one address waiting in one queue.
pub const HASHING_QUEUE_OF_PEER_MAX: usize = 64;
/// Seconds after which a sign-in may be retried that found its queue full.
pub const HASHING_RETRY_S: u64 = 2;
/// Milliseconds for which a client may accept no bytes of a response.
pub const WRITE_STALL_MS: u64 = 20_000;
/// Milliseconds that a connection may be idle: without a first request, or after a response.
pub const IDLE_MS: u64 = 10_000;
/// Milliseconds for the TLS handshake.
pub const TLS_HANDSHAKE_MS: u64 = 10_000;
/// Milliseconds for the request headers to arrive.
pub const HEADER_TIMEOUT_MS: u64 = 10_000;
/// Bytes of a connection's read and write buffers. A request's head fits.
pub const HTTP_BUFFER_BYTES_MAX: usize = 65_536;
/// Concurrent requests of one HTTP/2 connection.
pub const HTTP2_STREAMS_MAX: u32 = 128;
/// Flow control window of one HTTP/2 stream, in bytes: a whole body.
pub const HTTP2_STREAM_WINDOW_BYTES: u32 = 262_144;
/// Flow control window of one HTTP/2 connection, in bytes.
pub const HTTP2_CONNECTION_WINDOW_BYTES: u32 = 1_048_576;
/// Bytes of one request's headers over HTTP/2.
pub const HTTP2_HEADERS_BYTES_MAX: u32 = 65_536;
/// Requests reset by the client that are not processed yet. More close the connection.
pub const HTTP2_RESETS_MAX: usize = 32;
/// Milliseconds for a request. An upload continues while enough bytes arrive.
pub const REQUEST_TIMEOUT_MS: u64 = 30_000;

// Clients of users (wire facts 4).

/// Messages that one user may hide in one room.
pub const HIDDEN_MESSAGES_MAX: usize = 1_000;
/// Messages that a user may delete in one call.
pub const OWN_DELETE_IDS_MAX: usize = 100;
/// Milliseconds before a client's last message in which another node may have created a message
/// that it committed later.
pub const SYNC_LATE_MS: i64 = 5_000;
/// Age of a client's last message, in milliseconds, up to which messages that were committed late
/// are repeated.
pub const SYNC_LATE_ASKED_MS: i64 = 60_000;
/// Messages that were committed late in one response of `sync`, in addition to its page.
pub const SYNC_LATE_MAX: usize = 100;
/// Message events in one response of `sync_event`.
pub const SYNC_EVENTS_MAX: usize = 100;
/// Largest room, in participants, for which the server checks whether all received and read a
/// message.
pub const STATUS_PARTICIPANTS_MAX: usize = 1_000;
/// Rooms that one search checks.
pub const SEARCH_ROOMS_MAX: usize = 100;
/// Messages that one search checks in all rooms together.
pub const SEARCH_MESSAGES_MAX: usize = 5_000;
/// Messages that a search checks in each room at least, however many rooms there are.
pub const SEARCH_ROOM_MESSAGES_MIN: usize = 100;
/// Characters of a search query.
pub const SEARCH_CHARS_MAX: usize = 255;

// Connections.

/// Open files reserved for the store, webhooks and uploads: a quarter of the limit on open files,
/// but at most this.
pub const FILES_RESERVED_MAX: usize = 4_096;
/// Sockets reserved for requests: a sixteenth of the limit on open files, but at most this.
pub const REQUEST_SOCKETS_MAX: usize = 1_024;
/// Divisor of all sockets: the number that is asked to close at once when none is free, those that
/// have waited longest for their clients first.
pub const YIELDED_AT_ONCE_SHARE: usize = 64;
/// Divisor of all sockets: the maximum number that is closing at the same time.
pub const YIELDING_SOCKETS_SHARE: usize = 16;
/// Probes of `confab doctor` whose answers a process keeps open at the same time.
pub const PROBES_MAX: usize = 8;
/// Backlog of connections of each listener. The system may allow fewer.
pub const CONNECTIONS_IN_LINE_MAX: i32 = 16_384;
/// Divisor of all sockets: one address gets one share of this many, unless the operator sets
/// another limit.
pub const ADDRESS_SOCKETS_SHARE: usize = 4;
/// Long-lived connections of one user, and never more than half of all. An app leaves a tenth to
/// other apps.
pub const CONNECTIONS_OF_USER_MAX: usize = 1_000;

/// Seconds after which a client may retry that was refused because a limit was reached.
pub const COME_AGAIN_S: u64 = 5;

// Realtime.

/// Signals queued for one connection. A connection that does not read them in time is closed.
pub const REALTIME_QUEUE_MAX: usize = 256;
/// Addresses that one connection subscribes to.
pub const REALTIME_ADDRESSES_MAX: usize = 2_048;
/// Milliseconds by which the commit of an id may become visible after ids of other nodes.
pub const REALTIME_LATE_MS: u64 = 60_000;
/// Milliseconds that an id may be ahead of the clock and still advance a cursor.
pub const REALTIME_AHEAD_MS: u64 = 5_000;
/// Milliseconds that realtime may lag behind commits before the node is not ready.
pub const REALTIME_LAG_MAX_MS: u64 = 15_000;
/// Commits whose events wait to be shown. Beyond it, missed events are read from the store.
pub const REALTIME_COMMITS_MAX: usize = 4_096;
/// Rooms whose audience a node caches.
pub const REALTIME_AUDIENCES_MAX: usize = 10_000;
/// Signals written to a connection at once.
pub const REALTIME_FRAMES_PER_WRITE: usize = 64;
/// Milliseconds for one write before the connection is closed.
pub const REALTIME_WRITE_MS: u64 = 10_000;
/// Missed events read at a time for one client.
pub const REALTIME_MISSED_PER_READ: usize = 200;
/// Bytes of missed messages and of missed message events that are read at a time, plus one event of
/// each.
pub const REALTIME_MISSED_READ_BYTES: usize = 262_144;
/// Bytes of missed events that a node holds to show them in order. Beyond it, connected clients
/// must reload.
pub const REALTIME_MISSED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Missed events that are shown again. A client that missed more must reload.
pub const REALTIME_MISSED_MAX: usize = 10_000;
/// Milliseconds between two heartbeats of a connection.
pub const REALTIME_HEARTBEAT_MS: u64 = 25_000;
/// Milliseconds of silence after which a client's connection is closed.
pub const REALTIME_SILENCE_MS: u64 = 75_000;
/// Bytes of one frame from a client.
pub const REALTIME_FRAME_BYTES_MAX: usize = 16_384;
/// Frames per second that a client may send.
pub const REALTIME_FRAMES_PER_SECOND: u32 = 20;

/// Users whose presence changes are cached until they are stored, and a little longer.
pub const PRESENCES_REMEMBERED_MAX: usize = 100_000;
/// Milliseconds for which a reported presence takes precedence over the stored one.
pub const PRESENCE_FRESH_MS: u64 = 10_000;
/// Users whose presence is written in one commit.
pub const PRESENCES_PER_COMMIT: usize = 1_000;

/// Bytes of an MQTT packet from a client.
pub const MQTT_PACKET_BYTES_MAX: usize = 262_144;
/// Bytes of output that are collected for one client before they are written.
pub const MQTT_WRITE_BYTES: usize = 32_768;
/// Characters of an MQTT client id.
pub const MQTT_CLIENT_ID_CHARS_MAX: usize = 512;
/// Filters of one SUBSCRIBE.
pub const MQTT_FILTERS_PER_PACKET: usize = 8_192;
/// Filters of one client.
pub const MQTT_FILTERS_MAX: usize = 8_192;
/// Messages of QoS 1 and 2 that a client has not acknowledged.
pub const MQTT_IN_FLIGHT_MAX: usize = 64;
/// Messages of QoS 1 and 2 queued behind those, also while the client is disconnected.
pub const MQTT_QUEUED_MAX: usize = 256;
/// Messages of QoS 2 of a client that wait for their PUBREL.
pub const MQTT_RELEASES_MAX: usize = 64;
/// Sessions of disconnected clients, per node.
pub const MQTT_SESSIONS_AWAY_MAX: usize = 10_000;
/// Sessions of disconnected clients of one app. It leaves a tenth to other apps.
pub const MQTT_SESSIONS_AWAY_OF_APP_MAX: usize = 9_000;
/// Sessions of disconnected clients of one user. The newest replaces the oldest.
pub const MQTT_SESSIONS_AWAY_OF_USER_MAX: usize = 20;
/// Seconds for which the session of a disconnected client is retained.
pub const MQTT_SESSION_TTL_S: u64 = 3_600;
/// Milliseconds for the CONNECT packet to arrive.
pub const MQTT_CONNECT_TIMEOUT_MS: u64 = 10_000;
/// Milliseconds for a connected client to authenticate.
pub const MQTT_SIGN_IN_TIMEOUT_MS: u64 = 10_000;
/// Seconds of silence allowed to a client that requests no keep-alive.
pub const MQTT_SILENCE_MAX_S: u64 = 7_200;
/// Milliseconds for a client to read pending output.
pub const MQTT_WRITE_TIMEOUT_MS: u64 = 10_000;
/// Milliseconds for a connection to hand over its session to a newer one.
pub const MQTT_TAKE_OVER_MS: u64 = 1_000;
/// Packets that a client may send at once before `MQTT_PACKETS_PER_SECOND` applies.
pub const MQTT_PACKETS_BURST: u32 = 1_000;
/// Packets per second that a client may send after a burst.
pub const MQTT_PACKETS_PER_SECOND: u32 = 200;
/// Number of packets that a PUBLISH counts as, because many clients receive it.
pub const MQTT_PUBLISH_COST: u32 = 10;
/// Filters that count as one additional packet.
pub const MQTT_FILTERS_PER_COST: usize = 10;
/// Bytes of a custom event.
pub const CUSTOM_EVENT_BYTES_MAX: usize = 4_096;

// Pushes.

/// Bytes of a push notification. Push services refuse more.
pub const PUSH_BYTES_MAX: usize = 4_096;
/// Characters of a push notification's title.
pub const PUSH_TITLE_CHARS_MAX: usize = 100;
/// Devices that one message is pushed to.
pub const PUSHES_PER_MESSAGE_MAX: usize = 1_000;
/// Seconds after which a push is too old to be sent.
pub const PUSH_AGE_MAX_S: u64 = 24 * 3600;
/// Connections to push services that are kept open, one per host.
pub const PUSH_CONNECTIONS_MAX: usize = 8;
/// Bytes of the key file that signs pushes.
pub const PUSH_KEY_BYTES_MAX: u64 = 16_384;

// Sealed secrets (D-0086).

/// Rows whose secrets are resealed in one commit.
pub const SECRETS_PER_COMMIT: usize = 500;
/// Bytes of the key file that seals secrets.
pub const SECRETS_KEY_FILE_BYTES_MAX: u64 = 4_096;

/// Days covered by one analytics call.
pub const ANALYTICS_DAYS_MAX: i32 = 400;

/// Days covered by one analytics call with hourly steps.
pub const ANALYTICS_HOURLY_DAYS_MAX: i32 = 62;

/// Conversations that one bulk call acts on.
pub const BULK_ROOMS_MAX: usize = 100;

// Moving apps (D-0173).

/// Lines imported in one commit.
pub const IMPORTED_PER_COMMIT: usize = 500;
/// Sessions imported in one commit. Each needs all facts about its room.
pub const IMPORTED_SESSIONS_PER_COMMIT: usize = 100;
/// Bytes of lines imported in one commit.
pub const IMPORTED_BYTES_PER_COMMIT: usize = 4 * 1024 * 1024;
/// Bytes of one line. Every stored value is smaller.
pub const IMPORT_LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Channels of an app after an import. More than an app may create, because an export includes
/// deleted channels, which become disabled ones.
pub const IMPORTED_CHANNELS_MAX: usize = 1_000;
/// Bytes of a payload that the server completed, such as that of a reply: the caller's payload, and
/// the text and the payload of the replied message.
pub const COMPLETED_PAYLOAD_BYTES_MAX: usize = 3 * PAYLOAD_BYTES_MAX;
/// Characters of the unique id of a stored message. A broadcast appends a slash and the id of the
/// receiver to the client's id.
pub const STORED_UNIQUE_ID_CHARS_MAX: usize = UNIQUE_ID_CHARS_MAX + 1 + USER_ID_CHARS_MAX;
/// Levels of arrays and objects in a line of an export file or a response of another server: those
/// of a payload, and those around it.
pub const MOVED_JSON_DEPTH_MAX: usize = JSON_DEPTH_MAX + 8;
/// Seconds by which the clock of the exporting server may be ahead.
pub const IMPORT_CLOCK_AHEAD_MAX_S: i64 = 300;
/// Characters of a shown problem of an imported line.
pub const IMPORT_PROBLEM_CHARS_MAX: usize = 500;
/// Comments fetched at a time (spec 8).
pub const FETCHED_PER_CALL: usize = 100;
/// Attempts of a failing call.
pub const FETCH_TRIES_MAX: u32 = 8;

// Traces (D-0167).

/// Spans waiting to be sent to the collector. More are dropped and counted.
pub const SPANS_QUEUED_MAX: usize = 4_096;
/// Spans in one request to the collector.
pub const SPANS_POSTED_MAX: usize = 512;
/// Attempts of a request that the collector temporarily refuses.
pub const SPAN_POSTS_MAX: u32 = 4;
/// Bytes read of the collector's response.
pub const COLLECTOR_ANSWER_BYTES_MAX: usize = 16_384;
/// Deliveries whose trace is remembered (D-0167).
pub const TRACED_DELIVERIES_MAX: usize = 16_384;
