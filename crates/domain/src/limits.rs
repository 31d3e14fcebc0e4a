//! Named limits of requests, and of the data and tasks that the server holds concurrently.
//!
//! A request that exceeds a limit gets an error that describes the problem. Names end in their unit
//! or in the things that they count.

// Requests.
/// Maximum length of a message's text, in characters (Unicode scalar values) (spec 8).
pub const MESSAGE_CHARS_MAX: usize = 4000;
/// Maximum number of characters quoted from a message of another room above a customer's reply to
/// it.
pub const QUOTED_CHARS_MAX: usize = 300;
/// Maximum number of unique ids in one delete call (spec 8).
pub const DELETE_IDS_MAX: usize = 3;
/// Page size if the caller requests none or one that is not from 1 to `PAGE_MAX` (spec 8).
pub const PAGE_DEFAULT: usize = 20;
/// Maximum page size that a caller may request (spec 8).
pub const PAGE_MAX: usize = 100;
pub const USER_ID_CHARS_MAX: usize = 255;
pub const ROOM_UNIQUE_ID_CHARS_MAX: usize = 255;
/// Maximum number of characters of a message's unique id that a client chooses.
pub const UNIQUE_ID_CHARS_MAX: usize = 128;
/// Maximum number of characters of a display name or room name.
pub const NAME_CHARS_MAX: usize = 255;
/// Maximum number of characters of a URL in a profile or room.
pub const URL_CHARS_MAX: usize = 2048;
/// Maximum size in bytes of a room's options or a user's extras.
pub const OPTIONS_BYTES_MAX: usize = 65_536;
/// Maximum size in bytes of a message's payload as the client sends it.
pub const PAYLOAD_BYTES_MAX: usize = 65_536;
pub const EXTRAS_BYTES_MAX: usize = 65_536;
pub const PASSWORD_CHARS_MAX: usize = 255;
/// Divisor of the maximum number of concurrent requests: the quotient is the maximum for one user,
/// agent or IP address.
pub const REQUESTS_SHARE: usize = 8;
/// Maximum number of users named in one call.
pub const CALL_USERS_MAX: usize = 100;
/// Maximum number of characters of a user id with its channel id and a colon as prefix.
pub const ADDRESS_CHARS_MAX: usize = USER_ID_CHARS_MAX + 17;
/// Maximum number of customers listed in the refusal of an ambiguous user id.
pub const NAMED_ADDRESSES_MAX: usize = 5;
/// Maximum number of rooms named in one call.
pub const CALL_ROOMS_MAX: usize = 100;
/// Maximum number of users that one query for users with unread messages checks.
pub const UNREAD_USERS_SCANNED: usize = 5_000;
/// Maximum number of participants of one room.
pub const ROOM_PARTICIPANTS_MAX: usize = 10_000;
/// Maximum number of buttons in a `buttons` message. Channels show only as many as their provider
/// allows.
pub const BUTTONS_MAX: usize = 20;
/// Maximum number of buttons on one card.
pub const CARD_BUTTONS_MAX: usize = 20;
/// Maximum number of cards in a carousel message.
pub const CAROUSEL_CARDS_MAX: usize = 20;
/// Maximum number of targets of one broadcast.
pub const BROADCAST_TARGETS_MAX: usize = 100;
/// Maximum nesting depth of arrays and objects in a JSON body.
pub const JSON_DEPTH_MAX: usize = 64;
/// Maximum size in bytes of a request body.
pub const BODY_BYTES_MAX: usize = 262_144;
/// Maximum total size in bytes of all request bodies in memory, arriving or being processed.
pub const BODIES_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Maximum total size in bytes of the request bodies in memory from one IP address.
pub const BODIES_OF_PEER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Maximum size in bytes of a request body that does not count toward its IP address's share.
pub const SMALL_BODY_BYTES: usize = 16_384;
/// Time in milliseconds after which a slowly arriving body may be dropped because another body
/// lacks memory.
pub const BODY_PATIENCE_MS: u64 = 1_000;
/// Maximum number of messages returned by one `load_comments_with_range` call.
pub const RANGE_MESSAGES_MAX: usize = 100;

pub const EMAIL_CHARS_MAX: usize = 254;
/// Minimum number of characters of an agent's new password.
pub const PASSWORD_CHARS_MIN: usize = 8;
/// Number of failed sign-ins to one account from one IP address or known browser before further
/// attempts are slowed down (D-0069).
pub const SIGN_IN_TRIES_MAX: u32 = 10;
/// Number of failed sign-ins to one account before further attempts are slowed down, counted for
/// all IP addresses without a recent successful sign-in to the account.
pub const ACCOUNT_SIGN_IN_TRIES_MAX: u32 = 100;
/// Interval in milliseconds at which a slowed-down account is granted one more failed sign-in.
pub const SIGN_IN_TRY_EVERY_MS: u64 = 60_000;
/// Number of failed sign-ins from one IP address to any accounts of an app before further attempts
/// are slowed down.
pub const PEER_SIGN_IN_TRIES_MAX: u32 = 100;
/// Interval in milliseconds at which a slowed-down IP address is granted one more failed sign-in.
pub const PEER_SIGN_IN_TRY_EVERY_MS: u64 = 1_000;
/// Maximum number of failed sign-in counters per process. Counters with the lowest counts are
/// evicted first.
pub const SIGN_IN_COUNTERS_MAX: usize = 50_000;
/// Maximum number of pairs of an account and an IP address with a successful sign-in that a process
/// remembers.
pub const SIGN_IN_PLACES_MAX: usize = 10_000;
/// Number of days for which a browser that signed in to an account is recognized (D-0069).
pub const KNOWN_DEVICE_DAYS: u32 = 180;
/// Number of days until a sign-in expires.
pub const SIGN_IN_DAYS: u32 = 30;
/// Maximum number of conversations that one dashboard page can follow at the same time.
pub const INBOX_OPEN_ROOMS_MAX: usize = 20;
/// Maximum number of missed messages of a conversation that a dashboard page receives when it opens
/// the conversation.
pub const INBOX_MISSED_MAX: usize = 200;
/// Maximum number of sent inbox rows that a connection remembers.
pub const INBOX_ROWS_REMEMBERED: usize = 10_000;
/// Maximum number of sign-in cookies of one request that are tried (D-0111).
pub const COOKIES_TRIED_MAX: usize = 8;
/// Number of days until a sign-in link expires.
pub const SIGN_IN_CODE_DAYS: u32 = 1;
/// Maximum waiting time, in seconds, that an app may set for highlighting a customer.
pub const WAITING_SHOWN_MAX_S: u32 = 86_400;
/// Maximum number of characters of a text in an audit entry.
pub const AUDIT_TEXT_CHARS_MAX: usize = 200;
/// Maximum number of valid sign-in links of one account.
pub const SIGN_IN_CODES_MAX: usize = 10;
/// Minimum interval in seconds between two records of a sign-in's last use.
pub const SIGN_IN_SEEN_EVERY_S: i64 = 300;
/// Maximum number of characters of a browser's name.
pub const BROWSER_CHARS_MAX: usize = 60;
/// Maximum number of valid sign-ins of one account.
pub const SIGN_INS_MAX: usize = 100;
/// Maximum size in bytes of an agent's dashboard preferences.
pub const PREFERENCES_BYTES_MAX: usize = 8_192;
/// Default waiting time, in seconds, after which a customer is shown in amber.
pub const WAITING_AMBER_S: u32 = 120;
/// Default waiting time, in seconds, after which a customer is shown in red.
pub const WAITING_RED_S: u32 = 300;
/// Maximum number of divisions of one app.
pub const DIVISIONS_MAX: usize = 100;
/// Maximum number of canned replies that an app shares, and of private ones of each agent.
pub const CANNED_REPLIES_MAX: usize = 500;
/// Maximum number of a customer's newest rooms that are checked for one that the caller may see.
pub const CONTACT_ROOMS_SCANNED: usize = 20;
/// Maximum number of customers whose rooms are loaded in one read.
pub const CONTACTS_PER_READ: usize = 100;
/// Maximum number of opening intervals in a week's office hours.
pub const OFFICE_STRETCHES_MAX: usize = 50;
/// Maximum number of channels to which one agent may be restricted.
pub const AGENT_CHANNELS_MAX: usize = 100;
/// Maximum number of customers per agent that an app may set as its limit.
pub const AGENT_CUSTOMERS_MAX: u32 = 10_000;
/// Maximum number of agents per room that an app may set as its limit.
pub const ROOM_AGENTS_MAX: u32 = 100;
/// Maximum time, in seconds, for which an app may let an absent agent keep their customers.
pub const OFFLINE_GRACE_MAX_S: u32 = 86_400;

/// Maximum number of participants in a room's public JSON. A separate call lists the others page by
/// page.
pub const ROOM_PARTICIPANTS_SHOWN_MAX: usize = 100;
/// Maximum number of users that one user may block.
pub const BLOCKS_OF_USER_MAX: usize = 1_000;
/// Maximum number of devices of one user. A further device replaces the oldest one.
pub const DEVICES_OF_USER_MAX: usize = 20;
pub const DEVICE_TOKEN_CHARS_MAX: usize = 1_024;
/// Maximum number of matches counted for the total of a client's user search.
pub const USERS_COUNTED_MAX: usize = 10_000;
/// Maximum number of matches in the user index that a search reads. A search with more matches
/// sorts and lists only these (D-0208).
pub const USERS_SCANNED: usize = 20_000;
/// Maximum number of three-character pieces of a search text that are looked up in the user index.
pub const SEARCH_GRAMS_MAX: usize = 32;
pub const FILE_NAME_CHARS_MAX: usize = 255;
/// Maximum size in bytes of the rest of an upload besides its file: form headers and other fields.
pub const UPLOAD_EXTRA_BYTES_MAX: usize = 65_536;
/// Maximum number of concurrent uploads per process that have not sent a token yet.
pub const UNPROVEN_UPLOADS_MAX: usize = 64;
/// Maximum number of concurrent uploads without a token from one IP address.
pub const UNPROVEN_UPLOADS_OF_PEER_MAX: usize = 8;
/// Maximum total size in bytes of all uploads without a token. One file of the largest size always
/// fits.
pub const UNPROVEN_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// Maximum total size in bytes of the uploads without a token from one IP address.
pub const UNPROVEN_BYTES_OF_PEER_MAX: u64 = 128 * 1024 * 1024;
/// Time in milliseconds after which arriving bytes no longer extend the timeout of an upload
/// without a token.
pub const UNPROVEN_UPLOAD_MAX_MS: u64 = 300_000;
/// Number of seconds after which a client may retry an upload that was refused for lack of free
/// disk space.
pub const FREE_SPACE_RETRY_S: u64 = 60;
/// Number of uploaded bytes that restart the request timeout: a rate of about a thousand bytes per
/// second keeps an upload alive.
pub const UPLOAD_PROGRESS_BYTES: usize = 32_768;
/// Time in microseconds without a write after which an upload counts as abandoned by its process:
/// one day.
pub const UPLOAD_LEFT_US: i64 = 24 * 3600 * 1_000_000;
/// Maximum number of bytes of an upload that are processed at a time.
pub const UPLOAD_PIECE_BYTES: usize = 65_536;
/// Maximum number of concurrent disk writes of uploads, per process.
pub const FILE_WRITES_AT_ONCE: usize = 8;
/// Number of bytes of a file that are written or read at a time.
pub const FILE_CHUNK_BYTES: usize = 262_144;

// The server.
/// Maximum number of writes that wait for the store's writer.
pub const WRITE_QUEUE_MAX: usize = 8192;
/// Maximum number of writes in one commit.
pub const COMMIT_WRITES_MAX: usize = 1024;
/// Time in milliseconds for which `/ready` reports the result of its last test write instead of
/// writing again.
pub const READY_WRITE_EVERY_MS: u64 = 1_000;
/// Number of seconds after which a client may retry a write that failed because the disk is full,
/// or a read that failed because the database is damaged. Both need the operator.
pub const OPERATOR_RETRY_AFTER_S: u64 = 30;
/// Maximum number of idle connections that are kept open for reads of the embedded store.
pub const READERS_MAX: usize = 16;
/// Maximum number of connections to PostgreSQL per node for frequent reads.
pub const POSTGRES_READERS_MAX: usize = 8;
/// Maximum number of connections to PostgreSQL per node that read lists. A node has at most fifteen
/// connections: these, those for frequent reads, one for the writer and two for notifications.
pub const POSTGRES_LISTERS_MAX: usize = 4;
/// Minimum of the limit on concurrent list statements of the embedded store. The limit is the
/// number of processors, between this minimum and `READERS_MAX` (D-0207).
pub const LISTS_AT_ONCE_MIN: usize = 4;
/// Divisor of the limit on concurrent list statements: the quotient is the maximum for one app.
pub const LISTS_OF_APP_SHARE: usize = 2;
/// Divisor of the limit on concurrent list statements: the quotient, at least one, is the maximum
/// for one agent or user.
pub const LISTS_OF_CALLER_SHARE: usize = 4;
/// Divisor of the limit on concurrent list statements: the quotient is the maximum number of
/// concurrent searches.
pub const SEARCHES_SHARE: usize = 2;
/// Divisor of the limit on concurrent list statements: the quotient, at least one, is the maximum
/// number of concurrent searches of one app.
pub const SEARCHES_OF_APP_SHARE: usize = 4;
/// Maximum number of concurrent searches of one agent or user.
pub const SEARCHES_OF_CALLER_MAX: usize = 1;
/// Time in milliseconds after which a search is canceled.
pub const SEARCH_MS_MAX: u64 = 3_000;
/// Maximum number of list statements of one app that wait to run, and separately of its searches.
pub const LISTS_WAITING_OF_APP_MAX: usize = 1_024;
/// Maximum number of list statements of one agent or user that wait to run.
pub const LISTS_WAITING_OF_CALLER_MAX: usize = 32;
/// Maximum number of searches of one agent or user that wait to run.
pub const SEARCHES_WAITING_OF_CALLER_MAX: usize = 3;
/// Maximum time in milliseconds that a list statement or a search waits to run before it is
/// refused.
pub const READ_WAIT_MAX_MS: u64 = 10_000;
/// Time in milliseconds for which the response to a refused list or search is held back, so that a
/// loop of refused requests costs little.
pub const READ_REFUSAL_PAUSE_MS: u64 = 200;
/// Maximum number of nodes on one PostgreSQL database. Ids have six bits for the node number, whose
/// last value is reserved for commands.
pub const NODES_MAX: i64 = 63;
/// Number of seconds without a heartbeat after which a node loses its number.
pub const NODE_LEASE_S: u64 = 60;
/// Maximum number of entries in each of the store's caches of rooms, users and memberships.
pub const WRITER_MEMORY_MAX: usize = 50_000;
/// Number of cached rooms from which on the embedded store evicts those whose message positions are
/// already on disk.
pub const PLACES_ROOMS_MAX: usize = 16_384;
/// Approximate maximum size in bytes of the messages that one read loads for a page. The page's
/// other messages are loaded by later reads; a single larger message is loaded alone (D-0081).
pub const PAGE_READ_BYTES: usize = 262_144;
/// Number of rooms in the first batch of a list. Their total size determines the size of the next
/// batch.
pub const ROOMS_AT_FIRST: usize = 10;
/// Maximum size in bytes of a response that is rendered as a whole before it is sent.
pub const ANSWER_WHOLE_BYTES: usize = 262_144;
/// Maximum number of misspelled fields named in one refusal.
pub const MISSPELT_FIELDS_MAX: usize = 8;
/// Minimum size in bytes of a list of messages that is compressed for clients that accept
/// compression.
pub const COMPRESSED_BYTES_MIN: u64 = 2_048;
/// Size in bytes at which a rendered part of a larger response is sent. The last item of a part may
/// exceed it.
pub const ANSWER_CHUNK_BYTES: usize = 65_536;
/// Memory in bytes that is reserved for a list while it is streamed: rows read ahead, one chunk,
/// and the connection's buffer.
pub const STREAMED_ANSWER_BYTES: usize = 1024 * 1024;
/// Maximum total size in bytes of the large responses to one user that wait to be sent.
pub const UNSENT_USER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Maximum total size in bytes of the large responses to all users of an app that wait to be sent,
/// and separately of the responses to the app itself.
pub const UNSENT_APP_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Maximum size in bytes of the newest page of a room's messages, above which it is not cached.
pub const FIRST_PAGE_BYTES_MAX: usize = 262_144;
/// Maximum number of cached first pages whose versions are checked in PostgreSQL together.
pub const FIRST_PAGES_ASKED_MAX: usize = 1024;
/// Maximum total size in bytes of the store's cache of first pages.
pub const FIRST_PAGES_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Maximum total size in bytes of the cached responses that show first pages.
pub const SHOWN_PAGES_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Number of new messages after which the embedded store writes message positions to disk. A start
/// reads the messages without a written position again.
pub const PLACES_UNWRITTEN_MAX: usize = 65_536;
/// Maximum number of apps whose keys are cached.
pub const KNOWN_APPS_MAX: usize = 10_000;
/// Maximum age in milliseconds of an app's cached keys.
pub const KNOWN_APP_AGE_MS: u64 = 1_000;
/// Default number of days for which an old secret key stays valid next to the new one.
pub const KEY_OVERLAP_DAYS_DEFAULT: u32 = 7;
/// Maximum number of days for which an old secret key may stay valid.
pub const KEY_OVERLAP_DAYS_MAX: u32 = 30;
/// Maximum number of deliveries read in one poll.
pub const DELIVERIES_PER_READ: usize = 5_000;
/// Maximum number of deliveries that one poll reads together with their bodies.
pub const WHOLE_PER_READ: usize = 256;
/// Number of seconds without a heartbeat after which a node loses its buckets.
pub const BUCKET_LEASE_S: u64 = 15;
/// Maximum number of deliveries counted for the backlog metrics.
pub const BACKLOG_COUNTED_MAX: usize = 10_000;
/// Maximum number of old deliveries, message events or audit entries purged in one commit.
pub const PURGED_PER_COMMIT: usize = 500;
/// Number of days for which message events are retained for clients that catch up.
pub const EVENT_RETENTION_DAYS: i64 = 30;
/// Maximum number of deliveries that one call scans for matching ones.
pub const DELIVERIES_SCANNED_MAX: usize = 5_000;
/// Maximum number of deliveries that one call can replay.
pub const REPLAYED_PER_CALL_MAX: usize = 1_000;
/// Maximum number of deliveries per read of a scan for matching ones.
pub const DELIVERIES_PER_SCAN: usize = 500;
/// Maximum number of events retained for the `confab listen` clients of one app.
pub const LISTEN_EVENTS_MAX: usize = 1_000;
/// Maximum number of events in one response to a `confab listen` client.
pub const LISTEN_EVENTS_PER_CALL: usize = 100;
/// Number of seconds after a call of a `confab listen` client for which events are retained for its
/// next call.
pub const LISTEN_RETENTION_S: u64 = 60;
/// Maximum time, in seconds, for which one call of a `confab listen` client waits for events.
pub const LISTEN_WAIT_MAX_S: u64 = 25;
/// Maximum time in milliseconds that a test of an endpoint may take, including the response.
/// Shorter than the request timeout.
pub const ENDPOINT_TRY_MAX_MS: u32 = 25_000;
/// Maximum time in milliseconds that a webhook waits for the response to the previous webhook of
/// the same cause.
pub const WEBHOOK_TURN_MAX_MS: u64 = 500;
/// Maximum nesting depth of webhooks whose receivers trigger further webhooks.
pub const WEBHOOK_DEPTH_MAX: u32 = 3;
/// Maximum number of participants listed in an event.
pub const NOTICE_PARTICIPANTS_MAX: usize = 100;
/// Maximum size in bytes of a webhook body that a caller sends to test an endpoint.
pub const TRIED_BODY_BYTES_MAX: usize = 131_072;
/// Maximum number of characters of a webhook body in a call that verifies its signature.
pub const VERIFIED_BODY_CHARS_MAX: usize = 200_000;
/// Maximum number of characters of a signature header or key in a call that verifies a signature.
pub const VERIFIED_HEADER_CHARS_MAX: usize = 4_096;
/// Maximum number of a delivery's newest attempts whose signatures are verified.
pub const VERIFIED_ATTEMPTS_MAX: usize = 100;
/// Maximum number of agents of one app.
pub const CANDIDATES_MAX: usize = 1_000;
/// Maximum number of rooms from which a deleted agent is removed in one pass.
pub const LEFT_ROOMS_MAX: usize = 10_000;
/// Age in seconds above which an event from a customer, or a message to one, is not processed.
pub const CHANNEL_AGE_MAX_S: u64 = 24 * 3600;
/// Maximum time in seconds for which a failing send blocks later messages to the customer.
pub const CHANNEL_BLOCK_S: u32 = 120;
/// Timeout in milliseconds of one attempt to send a message to a provider, including its media.
pub const CHANNEL_ATTEMPT_MS: u32 = 60_000;
/// Maximum number of requests per second of a Telegram bot.
pub const TELEGRAM_PER_SECOND_MAX: u32 = 30;
/// Maximum number of LMTP connections from mail servers.
pub const LMTP_CONNECTIONS_MAX: usize = 64;
/// Maximum total size in KiB of the mails that arrive by LMTP or wait to be parsed.
pub const LMTP_MAILS_KIB_MAX: u32 = 128 * 1024;
/// Maximum total size in KiB of the mails that are parsed concurrently, from LMTP and IMAP
/// together. Equals the size of the largest possible mail, because parsing needs a few times a
/// mail's size in memory.
pub const MAILS_READ_KIB_MAX: u32 = 25 * 1024;
/// Minimum size in KiB at which a mail counts toward `MAILS_READ_KIB_MAX`, because parsed headers
/// need many times their size.
pub const MAIL_READ_KIB_MIN: u32 = MAILS_READ_KIB_MAX / 4;
/// Maximum length in bytes of an LMTP command.
pub const LMTP_LINE_BYTES_MAX: usize = 2_048;
/// Maximum number of recipients of one mail.
pub const LMTP_RECIPIENTS_MAX: usize = 100;
/// Maximum number of events in one provider webhook or in one response to a poll.
pub const CHANNEL_EVENTS_MAX: usize = 1_000;
/// Length in seconds of WhatsApp's customer service window: after a customer's message, WhatsApp
/// accepts any message for this time.
pub const WHATSAPP_WINDOW_S: i64 = 24 * 3600;
/// Length in seconds of the messaging window of Messenger and Instagram: after a customer's
/// message, they accept any message for this time (channel facts 4.2).
pub const MESSENGER_WINDOW_S: i64 = 24 * 3600;
/// Number of seconds after a customer's message in which Messenger and Instagram accept messages
/// with the human agent tag, if the channel enables the tag.
pub const HUMAN_AGENT_WINDOW_S: i64 = 7 * 24 * 3600;
/// Maximum number of the newest messages before a customer's read receipt that the receipt marks as
/// read.
pub const RECEIPT_MESSAGES_MAX: usize = 100;
/// Maximum number of messages per second from a WhatsApp phone number.
pub const WHATSAPP_PER_SECOND_MAX: u32 = 80;
/// Number of seconds after which a message is sent again that WhatsApp rejected because of a closed
/// customer service window, although the window should still be open.
pub const WINDOW_AGAIN_S: u64 = 30;
/// Number of seconds for which a delivery status is retained that arrived before its send was
/// recorded.
pub const EARLY_STATUS_MAX_S: u64 = 3600;
/// Maximum pause, in seconds, between two attempts to apply a delivery status that arrived early.
pub const EARLY_STATUS_PAUSE_MAX_S: u64 = 300;
/// Number of days for which the states of direct sends are retained (D-0155).
pub const DIRECT_SEND_RETENTION_DAYS: i64 = 30;
/// Timeout in milliseconds of a provider's response to a direct send. Shorter than the request
/// timeout.
pub const DIRECT_SEND_MS: u64 = 20_000;
/// Maximum size in bytes of a provider webhook's body. Providers send up to 3 MB.
pub const HOOK_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Maximum number of bytes that are hashed to find the app secret that signed one webhook: the
/// length of its body times the number of secrets tried. One secret is always tried.
pub const HOOK_HASHED_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Maximum number of bytes that are hashed on the thread that serves a webhook. Larger webhooks are
/// hashed one at a time on a blocking thread.
pub const SMALL_HOOK_HASHED_BYTES: usize = 64 * 1024;
/// Number of bytes hashed for forged webhooks of one IP address from which on its webhooks are
/// refused for a while.
pub const FORGED_HOOK_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Minimum number of bytes that a forged webhook counts toward `FORGED_HOOK_BYTES_MAX`.
pub const FORGED_HOOK_BYTES_MIN: u64 = 64 * 1024;
/// Number of bytes by which an IP address's count of forged webhook bytes falls each second.
pub const FORGED_HOOK_BYTES_PER_S: u64 = 1024 * 1024;
/// Maximum number of IP addresses whose forged webhooks are counted.
pub const FORGING_PEERS_MAX: usize = 10_000;
/// Maximum number of pages of templates read from a provider, with 100 templates each.
pub const TEMPLATE_PAGES_MAX: usize = 20;
/// Maximum number of channels whose templates are cached.
pub const TEMPLATES_OF_CHANNELS_MAX: usize = 64;
/// Maximum number of values of one kind, such as variables or button parameters, for a template.
pub const TEMPLATE_VALUES_MAX: usize = 100;
/// Maximum number of characters of one value in a template.
pub const TEMPLATE_VALUE_CHARS_MAX: usize = 2_048;
/// Maximum number of phone numbers in one broadcast.
pub const BROADCAST_NUMBERS_MAX: usize = 100;
/// Maximum number of bytes read from a provider's response.
pub const SERVICE_ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Maximum number of LINE customers whose newest reply token is cached.
pub const REPLY_TOKENS_MAX: usize = 20_000;
/// Maximum number of channels of one app. A gateway's key is compared with the keys of all
/// channels.
pub const CHANNELS_MAX: usize = 100;
/// Minimum length in characters of the key that a custom channel's gateway authenticates with.
pub const CHANNEL_KEY_CHARS_MIN: usize = 8;
/// Maximum number of characters of a channel's key.
pub const CHANNEL_KEY_CHARS_MAX: usize = 255;
/// Maximum number of properties that the widget may send for a customer.
pub const USER_PROPERTIES_MAX: usize = 100;
/// Lifetime in seconds of a nonce and of an identity token that contains it.
pub const NONCE_TTL_S: i64 = 600;
/// Lifetime in seconds of a ticket for `/realtime`.
pub const REALTIME_TICKET_TTL_S: i64 = 30;
/// Maximum number of attempts to store a customer's message in their newest room while concurrent
/// decisions change it.
pub const ROOM_TRIES_MAX: usize = 5;
/// Maximum number of tags on one room.
pub const ROOM_TAGS_MAX: usize = 100;
/// Maximum number of characters of a tag, a label or the key of a customer info.
pub const LABEL_CHARS_MAX: usize = 100;
/// Maximum number of characters of a widget text, or of an origin that may embed the widget.
pub const WIDGET_TEXT_CHARS_MAX: usize = 500;
/// Maximum number of fields that the widget asks a visitor to fill in before they write.
pub const WIDGET_FIELDS_MAX: usize = 10;
/// Maximum number of origins that may embed the widget.
pub const WIDGET_ORIGINS_MAX: usize = 50;
/// Maximum number of characters of a customer info's value, and of notes.
pub const INFO_CHARS_MAX: usize = 4_000;
/// Maximum number of notes on one room.
pub const NOTES_OF_ROOM_MAX: usize = 5_000;
/// Maximum number of customer infos in one room, and of properties of one customer.
pub const INFOS_MAX: usize = 100;
/// Maximum number of custom buttons of one app, including deleted ones.
pub const BUTTONS_OF_APP_MAX: usize = 1_000;
/// Maximum number of customers' rooms that one call scans for matching ones.
pub const ROOMS_SCANNED_MAX: usize = 5_000;
/// Maximum number of customers' rooms counted for a total.
pub const ROOMS_COUNTED_MAX: usize = 100_000;
/// Maximum number of an agent's formerly served rooms that are sorted for each page. For agents
/// with more rooms, the app's rooms are scanned in the order of the list instead.
pub const SERVED_ROOMS_SORTED_MAX: usize = 2_000;
/// Maximum number of customers' rooms per read of a scan.
pub const ROOMS_PER_SCAN: usize = 500;
/// Maximum number of messages, and of users, that one step of the search indexer adds.
pub const INDEX_STEP: usize = 200;
/// Maximum number of messages that one step of the search indexer checks. Many may be in rooms that
/// are not searchable.
pub const INDEX_MESSAGES_SCANNED: usize = 2_000;
/// Time in milliseconds for which a node leases the search index.
pub const INDEX_HELD_MS: i64 = 30_000;
/// Maximum time without a message, in minutes, that an app may set before a conversation is
/// resolved automatically.
pub const IDLE_RESOLVE_MINUTES_MAX: u32 = 30 * 24 * 60;
/// Number of seconds after the rating question during which a customer may rate a conversation.
pub const RATING_PERIOD_S: i64 = 86_400;
/// Maximum number of characters of the rating question. Providers allow no more in messages with
/// buttons.
pub const RATING_QUESTION_CHARS_MAX: usize = 1_000;
/// Maximum number of characters of an answer to the rating question. Providers allow no more on
/// buttons.
pub const RATING_LABEL_CHARS_MAX: usize = 20;
/// Maximum number of analytics rows corrected in one commit of a recount.
pub const RECOUNTED_PER_COMMIT: i64 = 2_000;
/// Maximum number of messages erased or exported at a time.
pub const ERASED_PER_COMMIT: usize = 100;
/// Maximum number of words of a message that are indexed.
pub const SEARCH_WORDS_OF_MESSAGE_MAX: usize = 1_000;
/// Number of leading characters of a word that are indexed.
pub const SEARCH_WORD_CHARS_MAX: usize = 40;
/// Maximum number of words in one search.
pub const SEARCH_WORDS_MAX: usize = 8;
/// Maximum number of index hits that one search call checks for visibility.
pub const SEARCH_HITS_MAX: usize = 1_000;
/// Number of characters of a message shown before the first word found. Twice as many are shown
/// from the start of the word on.
pub const SEARCH_CUT_CHARS: usize = 80;
/// Maximum number of a room's newest messages that are checked to find the one that lists show as
/// its last.
pub const LAST_MESSAGES_SCANNED: usize = 20;
/// Maximum number of waiting customers considered in one pass over an app's queue.
pub const QUEUE_SCANNED: usize = 10_000;
/// Maximum number of waiting customers loaded in one read.
pub const QUEUE_PER_READ: usize = 500;
/// Maximum number of tags in the list of an app's tags.
pub const TAGS_MAX: usize = 1_000;
/// Maximum number of concurrent delivery attempts of all endpoints. A low limit on open files
/// reduces it.
pub const ATTEMPTS_AT_ONCE_MAX: usize = 20_000;
/// Maximum number of additional delivery attempts that wait for a third party, for example for a
/// customer's file.
pub const ATTEMPTS_ASIDE_MAX: usize = 10_000;
/// Maximum number of customers' files fetched from providers concurrently. A low limit on open
/// files reduces it.
pub const FETCHES_AT_ONCE_MAX: usize = 2_048;
/// Maximum size in bytes of one change notice (hint) between nodes (D-0040).
pub const BUS_FRAME_BYTES_MAX: usize = 7_000;
/// Maximum total length in bytes of the names in a notice to other nodes about the viewers of a
/// conversation.
pub const VIEWERS_HINT_BYTES_MAX: usize = 4_000;
/// Maximum number of notices waiting to be sent to other nodes.
pub const BUS_QUEUE_MAX: usize = 4_096;
/// Maximum number of notices from other nodes waiting to be processed.
pub const BUS_HINTS_MAX: usize = 4_096;
/// Maximum total size in bytes of the notices in one packet between nodes.
pub const BUS_PACKET_BYTES_MAX: usize = 32_768;
/// Maximum number of packets from other nodes waiting to be processed.
pub const BUS_PACKETS_MAX: usize = 1_024;
/// Maximum age in milliseconds of a packet from another node. Nodes whose clocks differ by more
/// drop each other's packets.
pub const BUS_PACKET_AGE_MAX_MS: u64 = 30_000;
/// Maximum number of nodes whose packet numbers are tracked to detect gaps.
pub const BUS_SENDERS_MAX: usize = 1_024;
/// Time in milliseconds without a packet after which a node counts as missing.
pub const BUS_SILENCE_MAX_MS: u64 = 5_000;
/// Maximum number of passwords hashed concurrently.
pub const HASHING_MAX: usize = 2;
/// Maximum number of passwords waiting in one hashing queue. Each app has one queue per kind of
/// password (D-0069).
pub const HASHING_QUEUE_MAX: usize = 256;
/// Maximum number of passwords from one IP address waiting in one hashing queue.
pub const HASHING_QUEUE_OF_PEER_MAX: usize = 64;
/// Number of seconds after which a client may retry a sign-in that was refused because its hashing
/// queue was full.
pub const HASHING_RETRY_S: u64 = 2;
/// Maximum time in milliseconds for which a client may accept no bytes of a response.
pub const WRITE_STALL_MS: u64 = 20_000;
/// Maximum time in milliseconds that a connection may be idle before its first request or after a
/// response.
pub const IDLE_MS: u64 = 10_000;
/// Timeout in milliseconds of the TLS handshake.
pub const TLS_HANDSHAKE_MS: u64 = 10_000;
/// Timeout in milliseconds for the arrival of the request headers.
pub const HEADER_TIMEOUT_MS: u64 = 10_000;
/// Maximum size in bytes of a connection's read buffer and of its write buffer. Limits the size of
/// a request's headers.
pub const HTTP_BUFFER_BYTES_MAX: usize = 65_536;
/// Maximum number of concurrent requests of one HTTP/2 connection.
pub const HTTP2_STREAMS_MAX: u32 = 128;
/// Flow control window of one HTTP/2 stream, in bytes. The largest request body fits in it.
pub const HTTP2_STREAM_WINDOW_BYTES: u32 = 262_144;
/// Flow control window of one HTTP/2 connection, in bytes.
pub const HTTP2_CONNECTION_WINDOW_BYTES: u32 = 1_048_576;
/// Maximum size in bytes of one request's headers over HTTP/2.
pub const HTTP2_HEADERS_BYTES_MAX: u32 = 65_536;
/// Maximum number of unprocessed requests that the client has reset, per HTTP/2 connection. More
/// close the connection.
pub const HTTP2_RESETS_MAX: usize = 32;
/// Timeout in milliseconds of a request. An upload may take longer as long as enough bytes arrive.
pub const REQUEST_TIMEOUT_MS: u64 = 30_000;

// Clients of users (wire facts 4).

/// Maximum number of messages that one user may hide in one room.
pub const HIDDEN_MESSAGES_MAX: usize = 1_000;
/// Maximum number of messages that a user may delete in one call.
pub const OWN_DELETE_IDS_MAX: usize = 100;
/// Time in milliseconds before the creation of a client's last message in which another node may
/// have created a message that it committed after that one.
pub const SYNC_LATE_MS: i64 = 5_000;
/// Maximum age, in milliseconds, of a client's last message for which `sync` also returns messages
/// that other nodes committed late.
pub const SYNC_LATE_ASKED_MS: i64 = 60_000;
/// Maximum number of messages committed late in one response of `sync`, in addition to its page.
pub const SYNC_LATE_MAX: usize = 100;
/// Maximum number of message events in one response of `sync_event`.
pub const SYNC_EVENTS_MAX: usize = 100;
/// Maximum number of participants of a room for which the server checks whether all of them
/// received and read a message.
pub const STATUS_PARTICIPANTS_MAX: usize = 1_000;
/// Maximum number of rooms that one search checks.
pub const SEARCH_ROOMS_MAX: usize = 100;
/// Maximum number of messages that one search checks in all rooms together.
pub const SEARCH_MESSAGES_MAX: usize = 5_000;
/// Number of messages that a search may check in each room, however many rooms it covers. With many
/// rooms, it reaches `SEARCH_MESSAGES_MAX` before the last room.
pub const SEARCH_ROOM_MESSAGES_MIN: usize = 100;
/// Maximum number of characters of a search query.
pub const SEARCH_CHARS_MAX: usize = 255;

// Connections.

/// Maximum number of open files reserved for the store, webhooks and uploads, which get a quarter
/// of the limit on open files.
pub const FILES_RESERVED_MAX: usize = 4_096;
/// Maximum number of sockets reserved for requests, which get a sixteenth of the limit on open
/// files.
pub const REQUEST_SOCKETS_MAX: usize = 1_024;
/// Divisor of the number of sockets: the quotient is the number of connections that are asked to
/// close at once when no socket is free, first those that have waited longest for their clients.
pub const YIELDED_AT_ONCE_SHARE: usize = 64;
/// Divisor of the number of sockets: the quotient is the number of closing connections from which
/// on no further ones are asked to close.
pub const YIELDING_SOCKETS_SHARE: usize = 16;
/// Maximum number of `confab doctor` probes that a process answers concurrently.
pub const PROBES_MAX: usize = 8;
/// Maximum number of connections in the backlog of each listener. The operating system may allow
/// fewer.
pub const CONNECTIONS_IN_LINE_MAX: i32 = 16_384;
/// Divisor of the number of sockets: the quotient is the maximum for one IP address, unless the
/// operator sets another limit.
pub const ADDRESS_SOCKETS_SHARE: usize = 4;
/// Maximum number of long-lived connections of one user, who may also hold at most half of all such
/// connections. An app leaves a tenth of them to other apps.
pub const CONNECTIONS_OF_USER_MAX: usize = 1_000;

/// Number of seconds after which a client may retry a request that was refused because a limit was
/// reached.
pub const COME_AGAIN_S: u64 = 5;

// Realtime.

/// Maximum number of signals queued for one connection. A connection whose queue overflows is
/// closed.
pub const REALTIME_QUEUE_MAX: usize = 256;
/// Maximum number of addresses that one connection subscribes to.
pub const REALTIME_ADDRESSES_MAX: usize = 2_048;
/// Maximum time in milliseconds from the creation of an event id until its commit is visible to
/// other nodes.
pub const REALTIME_LATE_MS: u64 = 60_000;
/// Tolerated difference in milliseconds between the clocks of nodes. Event ids that are further
/// ahead of the clock are not trusted as timestamps.
pub const REALTIME_AHEAD_MS: u64 = 5_000;
/// Maximum time in milliseconds that realtime may lag behind commits before the node reports that
/// it is not ready.
pub const REALTIME_LAG_MAX_MS: u64 = 15_000;
/// Maximum number of commits whose events wait to be published. If there are more, all clients are
/// disconnected and must resync.
pub const REALTIME_COMMITS_MAX: usize = 4_096;
/// Maximum number of rooms whose audience a node caches.
pub const REALTIME_AUDIENCES_MAX: usize = 10_000;
/// Maximum number of signals written to a connection at once.
pub const REALTIME_FRAMES_PER_WRITE: usize = 64;
/// Timeout in milliseconds of one write, after which the connection is closed.
pub const REALTIME_WRITE_MS: u64 = 10_000;
/// Maximum number of missed events loaded in one read.
pub const REALTIME_MISSED_PER_READ: usize = 200;
/// Number of bytes of missed messages, and of missed message events, after which one read stops.
/// The last event may exceed it.
pub const REALTIME_MISSED_READ_BYTES: usize = 262_144;
/// Maximum total size in bytes of the missed events that a node holds in memory to publish them in
/// order. If there are more, connected clients must reload.
pub const REALTIME_MISSED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Maximum number of missed events that are sent to a client that reconnects. A client that missed
/// more must reload.
pub const REALTIME_MISSED_MAX: usize = 10_000;
/// Interval in milliseconds between two heartbeats of a connection.
pub const REALTIME_HEARTBEAT_MS: u64 = 25_000;
/// Time in milliseconds without a frame from the client after which its connection is closed.
pub const REALTIME_SILENCE_MS: u64 = 75_000;
/// Maximum size in bytes of one frame from a client.
pub const REALTIME_FRAME_BYTES_MAX: usize = 16_384;
/// Maximum number of frames per second that a client may send.
pub const REALTIME_FRAMES_PER_SECOND: u32 = 20;

/// Maximum number of users whose presence changes are cached until they are stored, and a little
/// longer.
pub const PRESENCES_REMEMBERED_MAX: usize = 100_000;
/// Time in milliseconds for which a reported presence takes precedence over the stored one.
pub const PRESENCE_FRESH_MS: u64 = 10_000;
/// Maximum number of users whose presence is written in one commit.
pub const PRESENCES_PER_COMMIT: usize = 1_000;

/// Maximum size in bytes of an MQTT packet from a client.
pub const MQTT_PACKET_BYTES_MAX: usize = 262_144;
/// Number of bytes of output collected for one client before they are written.
pub const MQTT_WRITE_BYTES: usize = 32_768;
/// Maximum number of characters of an MQTT client id.
pub const MQTT_CLIENT_ID_CHARS_MAX: usize = 512;
/// Maximum number of topic filters in one SUBSCRIBE packet.
pub const MQTT_FILTERS_PER_PACKET: usize = 8_192;
/// Maximum number of topic filters of one client.
pub const MQTT_FILTERS_MAX: usize = 8_192;
/// Maximum number of sent messages of QoS 1 and 2 that a client has not acknowledged.
pub const MQTT_IN_FLIGHT_MAX: usize = 64;
/// Maximum number of messages of QoS 1 and 2 that wait until unacknowledged ones are acknowledged,
/// or until a disconnected client returns.
pub const MQTT_QUEUED_MAX: usize = 256;
/// Maximum number of QoS 2 messages from a client that wait for their PUBREL.
pub const MQTT_RELEASES_MAX: usize = 64;
/// Maximum number of sessions of disconnected clients, per node.
pub const MQTT_SESSIONS_AWAY_MAX: usize = 10_000;
/// Maximum number of sessions of disconnected clients of one app, per node. A tenth of all sessions
/// stays available to other apps.
pub const MQTT_SESSIONS_AWAY_OF_APP_MAX: usize = 9_000;
/// Maximum number of sessions of disconnected clients of one user. The newest session replaces the
/// oldest.
pub const MQTT_SESSIONS_AWAY_OF_USER_MAX: usize = 20;
/// Number of seconds for which the session of a disconnected client is retained.
pub const MQTT_SESSION_TTL_S: u64 = 3_600;
/// Timeout in milliseconds for the arrival of the CONNECT packet.
pub const MQTT_CONNECT_TIMEOUT_MS: u64 = 10_000;
/// Timeout in milliseconds for the authentication of a connected client.
pub const MQTT_SIGN_IN_TIMEOUT_MS: u64 = 10_000;
/// Maximum time in seconds without a packet from a client that requested no keep-alive.
pub const MQTT_SILENCE_MAX_S: u64 = 7_200;
/// Maximum time in milliseconds that a client may take to read pending output.
pub const MQTT_WRITE_TIMEOUT_MS: u64 = 10_000;
/// Maximum time in milliseconds that a connection may take to hand over its session to a newer one.
pub const MQTT_TAKE_OVER_MS: u64 = 1_000;
/// Maximum number of packets that a client may send at once before `MQTT_PACKETS_PER_SECOND`
/// applies.
pub const MQTT_PACKETS_BURST: u32 = 1_000;
/// Maximum number of packets per second that a client may send after a burst.
pub const MQTT_PACKETS_PER_SECOND: u32 = 200;
/// Number of packets that a PUBLISH counts as, because many clients receive it.
pub const MQTT_PUBLISH_COST: u32 = 10;
/// Number of topic filters in a SUBSCRIBE or UNSUBSCRIBE packet that count as one additional
/// packet.
pub const MQTT_FILTERS_PER_COST: usize = 10;
/// Maximum size in bytes of a custom event's data.
pub const CUSTOM_EVENT_BYTES_MAX: usize = 4_096;

// Pushes.

/// Maximum size in bytes of a push notification. Push services refuse larger ones.
pub const PUSH_BYTES_MAX: usize = 4_096;
/// Maximum number of characters of a push notification's title.
pub const PUSH_TITLE_CHARS_MAX: usize = 100;
/// Maximum number of devices to which one message is pushed.
pub const PUSHES_PER_MESSAGE_MAX: usize = 1_000;
/// Age in seconds above which a push is not sent.
pub const PUSH_AGE_MAX_S: u64 = 24 * 3600;
/// Maximum number of open connections to push services, one per host.
pub const PUSH_CONNECTIONS_MAX: usize = 8;
/// Maximum size in bytes of the key file that signs pushes.
pub const PUSH_KEY_BYTES_MAX: u64 = 16_384;

// Sealed secrets (D-0086).

/// Maximum number of rows whose secrets are resealed in one commit.
pub const SECRETS_PER_COMMIT: usize = 500;
/// Maximum size in bytes of the key file that seals secrets.
pub const SECRETS_KEY_FILE_BYTES_MAX: u64 = 4_096;

/// Maximum number of days covered by one analytics call.
pub const ANALYTICS_DAYS_MAX: i32 = 400;

/// Maximum number of days covered by one analytics call with hourly steps.
pub const ANALYTICS_HOURLY_DAYS_MAX: i32 = 62;

/// Maximum number of conversations in one bulk call.
pub const BULK_ROOMS_MAX: usize = 100;

// Moving apps (D-0173).

/// Maximum number of lines imported in one commit.
pub const IMPORTED_PER_COMMIT: usize = 500;
/// Maximum number of sessions imported in one commit. Each session needs all facts about its room.
pub const IMPORTED_SESSIONS_PER_COMMIT: usize = 100;
/// Maximum total size in bytes of the lines imported in one commit.
pub const IMPORTED_BYTES_PER_COMMIT: usize = 4 * 1024 * 1024;
/// Maximum size in bytes of one line of an export file. Every stored value is smaller.
pub const IMPORT_LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Maximum number of channels of an app after an import. Higher than `CHANNELS_MAX`, because an
/// export includes deleted channels, which an import creates as disabled ones.
pub const IMPORTED_CHANNELS_MAX: usize = 1_000;
/// Maximum size in bytes of a payload that the server completed. A reply's payload consists of the
/// caller's payload, and the text and the payload of the replied message.
pub const COMPLETED_PAYLOAD_BYTES_MAX: usize = 3 * PAYLOAD_BYTES_MAX;
/// Maximum number of characters of a stored message's unique id. A broadcast appends a slash and
/// the id of the receiver to the client's unique id.
pub const STORED_UNIQUE_ID_CHARS_MAX: usize = UNIQUE_ID_CHARS_MAX + 1 + USER_ID_CHARS_MAX;
/// Maximum nesting depth of arrays and objects in a line of an export file or in a response of
/// another server: the depth of a payload, and a few enclosing levels.
pub const MOVED_JSON_DEPTH_MAX: usize = JSON_DEPTH_MAX + 8;
/// Maximum number of seconds by which the clock of the exporting server may be ahead.
pub const IMPORT_CLOCK_AHEAD_MAX_S: i64 = 300;
/// Maximum number of characters of an import error that are shown for one line.
pub const IMPORT_PROBLEM_CHARS_MAX: usize = 500;
/// Number of comments fetched from the exporting server in one call (spec 8).
pub const FETCHED_PER_CALL: usize = 100;
/// Maximum number of attempts of a failing call to the exporting server.
pub const FETCH_TRIES_MAX: u32 = 8;

// Traces (D-0167).

/// Maximum number of spans waiting to be sent to the collector. Further spans are dropped and
/// counted.
pub const SPANS_QUEUED_MAX: usize = 4_096;
/// Maximum number of spans in one request to the collector.
pub const SPANS_POSTED_MAX: usize = 512;
/// Maximum number of attempts of a request that the collector temporarily refuses.
pub const SPAN_POSTS_MAX: u32 = 4;
/// Maximum number of bytes read from the collector's response.
pub const COLLECTOR_ANSWER_BYTES_MAX: usize = 16_384;
/// Maximum number of deliveries whose trace context is remembered (D-0167).
pub const TRACED_DELIVERIES_MAX: usize = 16_384;
