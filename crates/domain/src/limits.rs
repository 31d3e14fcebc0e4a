//! Every bound of Confab, on one screen. Past a bound the caller gets a clear refusal and nothing
//! is lost. Names end in what they count.

// What callers may send.
/// Characters (Unicode scalar values) of a message (spec 8).
pub const MESSAGE_CHARS_MAX: usize = 4000;
/// Characters of a message of another room that are quoted above a customer's reply to it.
pub const QUOTED_CHARS_MAX: usize = 300;
/// Unique ids in one delete call (spec 8).
pub const DELETE_IDS_MAX: usize = 3;
/// Messages on a page when the caller does not say, or asks for too many (spec 8).
pub const PAGE_DEFAULT: usize = 20;
/// The largest page a caller may ask for (spec 8).
pub const PAGE_MAX: usize = 100;
/// Characters of a user id.
pub const USER_ID_CHARS_MAX: usize = 255;
/// Characters of a room's unique id.
pub const ROOM_UNIQUE_ID_CHARS_MAX: usize = 255;
/// Characters of a message's client-given unique id.
pub const UNIQUE_ID_CHARS_MAX: usize = 128;
/// Characters of a display name or room name.
pub const NAME_CHARS_MAX: usize = 255;
/// Characters of a URL in a profile or room.
pub const URL_CHARS_MAX: usize = 2048;
/// Bytes of a room's options or a user's extras.
pub const OPTIONS_BYTES_MAX: usize = 65_536;
/// Bytes of a message's payload, as it is sent (D-0082).
pub const PAYLOAD_BYTES_MAX: usize = 65_536;
/// Bytes of a message's extras.
pub const EXTRAS_BYTES_MAX: usize = 65_536;
/// Characters of a password.
pub const PASSWORD_CHARS_MAX: usize = 255;
/// A user's, an agent's or an address's part of what may run at once: one of so many (D-0074).
pub const REQUESTS_SHARE: usize = 8;
/// Users named in one call.
pub const CALL_USERS_MAX: usize = 100;
/// Characters of a user id with a channel's id and a colon before it.
pub const ADDRESS_CHARS_MAX: usize = USER_ID_CHARS_MAX + 17;
/// Customers that the refusal of an ambiguous name lists.
pub const NAMED_ADDRESSES_MAX: usize = 5;
/// Rooms named in one call.
pub const CALL_ROOMS_MAX: usize = 100;
/// Users that are looked at for those who have not read everything (D-0104).
pub const UNREAD_USERS_LOOKED_AT: usize = 5_000;
/// Participants of one room.
pub const ROOM_PARTICIPANTS_MAX: usize = 10_000;
/// Buttons of a `buttons` message; channels show as many as their service bears (D-0017).
pub const BUTTONS_MAX: usize = 20;
/// Buttons of one card.
pub const CARD_BUTTONS_MAX: usize = 20;
/// Cards of a carousel.
pub const CAROUSEL_CARDS_MAX: usize = 20;
/// Targets of one broadcast.
pub const BROADCAST_TARGETS_MAX: usize = 100;
/// Levels of arrays and objects in a JSON body.
pub const JSON_DEPTH_MAX: usize = 64;
/// Bytes of a request body.
pub const BODY_BYTES_MAX: usize = 262_144;
/// Bytes that the bodies of requests hold, of all that arrive or are worked on (D-0075).
pub const BODIES_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Bytes that those hold of them that come from one address.
pub const BODIES_OF_PEER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes up to which a body is small: it is not asked where it comes from.
pub const SMALL_BODY_BYTES: usize = 16_384;
/// How long a body may take to arrive while others find no room.
pub const BODY_PATIENCE_MS: u64 = 1_000;
/// Messages that `load_comments_with_range` gives at most.
pub const RANGE_MESSAGES_MAX: usize = 100;

/// Characters of an e-mail address.
pub const EMAIL_CHARS_MAX: usize = 254;
/// Characters of a new password of somebody who works in an app, at least.
pub const PASSWORD_CHARS_MIN: usize = 8;
/// Tries to sign in to one account from one address that may fail before they slow down (D-0069).
pub const SIGN_IN_TRIES_MAX: u32 = 10;
/// The same for one account from all addresses that it was not signed in to from lately.
pub const ACCOUNT_SIGN_IN_TRIES_MAX: u32 = 100;
/// Every so often one more try to sign in to the account may fail.
pub const SIGN_IN_TRY_EVERY_MS: u64 = 60_000;
/// Tries to sign in from one address to whatever accounts, those of each app by themselves.
pub const PEER_SIGN_IN_TRIES_MAX: u32 = 100;
/// Every so often one more of them may fail.
pub const PEER_SIGN_IN_TRY_EVERY_MS: u64 = 1_000;
/// Counters of tries that a process keeps; those that counted least are forgotten first.
pub const SIGN_IN_COUNTERS_MAX: usize = 50_000;
/// Pairs of an account and an address it was signed in to from that a process remembers.
pub const SIGN_IN_PLACES_MAX: usize = 10_000;
/// Days that a sign-in is good for.
pub const SIGN_IN_DAYS: u32 = 30;
/// Conversations that one page of the dashboard follows at the same time.
pub const INBOX_OPEN_ROOMS_MAX: usize = 20;
/// Missed messages of a conversation that a page is sent when it opens it.
pub const INBOX_MISSED_MAX: usize = 200;
/// Rows of an inbox that a connection remembers it has shown.
pub const INBOX_ROWS_REMEMBERED: usize = 10_000;
/// Days that a link that signs in once is good for.
pub const SIGN_IN_CODE_DAYS: u32 = 1;
/// Seconds that a customer may wait before it is shown, at most.
pub const WAITING_SHOWN_MAX_S: u32 = 86_400;
/// Characters of a text that an entry of the audit shows.
pub const AUDIT_TEXT_CHARS_MAX: usize = 200;
/// Links of one account that are good at the same time.
pub const SIGN_IN_CODES_MAX: usize = 10;
/// Every so often it is noted that a sign-in is used.
pub const SIGN_IN_SEEN_EVERY_S: i64 = 300;
/// Characters of what a browser is called.
pub const BROWSER_CHARS_MAX: usize = 60;
/// Sign-ins of one account that are good at the same time.
pub const SIGN_INS_MAX: usize = 100;
/// Bytes of what somebody's pages keep for themselves.
pub const PREFERENCES_BYTES_MAX: usize = 8_192;
/// After how many seconds a waiting customer is shown in amber, if the app does not say.
pub const WAITING_AMBER_S: u32 = 120;
/// After how many in red.
pub const WAITING_RED_S: u32 = 300;
/// Divisions of one app.
pub const DIVISIONS_MAX: usize = 100;
/// Canned replies that are everybody's of an app, and of each agent beside them.
pub const CANNED_REPLIES_MAX: usize = 500;
/// The newest rooms of a customer among which one is looked for that somebody may see.
pub const CONTACT_ROOMS_LOOKED_AT: usize = 20;
/// Customers whose rooms are read at a time.
pub const CONTACTS_PER_READ: usize = 100;
/// Stretches of a week when an office is open.
pub const OFFICE_STRETCHES_MAX: usize = 50;
/// Channels that one agent may be kept to.
pub const AGENT_CHANNELS_MAX: usize = 100;
/// Customers that an app may allow one agent at most.
pub const AGENT_CUSTOMERS_MAX: u32 = 10_000;
/// Agents that an app may allow in one room at most.
pub const ROOM_AGENTS_MAX: u32 = 100;
/// How long an app may let an absent agent keep their customers.
pub const OFFLINE_GRACE_MAX_S: u32 = 86_400;

/// Participants that a room shows its clients; the rest is listed page by page.
pub const ROOM_PARTICIPANTS_SHOWN_MAX: usize = 100;
/// Users that one user may block.
pub const BLOCKS_OF_USER_MAX: usize = 1_000;
/// Devices of one user; the oldest goes first.
pub const DEVICES_OF_USER_MAX: usize = 20;
/// Characters of a device's token.
pub const DEVICE_TOKEN_CHARS_MAX: usize = 1_024;
/// Users that are counted when clients look for some.
pub const USERS_COUNTED_MAX: usize = 10_000;
/// Characters of an uploaded file's name.
pub const FILE_NAME_CHARS_MAX: usize = 255;
/// Bytes that an upload may have beside its file, before and after it (D-0078).
pub const UPLOAD_EXTRA_BYTES_MAX: usize = 65_536;
/// Files that arrive at once whose senders have not shown a token yet, of one process (D-0078).
pub const UNPROVEN_UPLOADS_MAX: usize = 64;
/// Those of them that come from one address.
pub const UNPROVEN_UPLOADS_OF_PEER_MAX: usize = 8;
/// Their bytes together; one file of the largest size always fits.
pub const UNPROVEN_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// The bytes of those that come from one address.
pub const UNPROVEN_BYTES_OF_PEER_MAX: u64 = 128 * 1024 * 1024;
/// How long an upload may gain time whose sender has not shown a token yet.
pub const UNPROVEN_UPLOAD_MAX_MS: u64 = 300_000;
/// When an upload may come again that found too little free space.
pub const FREE_SPACE_RETRY_S: u64 = 60;
/// Bytes of an upload that bring its request a whole time again: about a thousand a second.
pub const UPLOAD_PROGRESS_BYTES: usize = 32_768;
/// Microseconds after which an upload that nobody wrote to was left by its process: a day.
pub const UPLOAD_LEFT_US: i64 = 24 * 3600 * 1_000_000;
/// Bytes of an upload that are looked at at a time.
pub const UPLOAD_PIECE_BYTES: usize = 65_536;
/// Pieces of uploads that are written to disk at the same time, of one process.
pub const FILE_WRITES_AT_ONCE: usize = 8;
/// Bytes of a file that are written or read at a time.
pub const FILE_CHUNK_BYTES: usize = 262_144;

// What the server holds.
/// Writes waiting for the store's writer.
pub const WRITE_QUEUE_MAX: usize = 8192;
/// Writes in one commit.
pub const COMMIT_WRITES_MAX: usize = 1024;
/// How long a write proves to `/ready` that the next one would succeed, and a failed one that it
/// would not.
pub const READY_WRITE_EVERY_MS: u64 = 1_000;
/// When callers may try again after a write that found no room, or a read that found damage: an
/// operator has to do something about either.
pub const OPERATOR_RETRY_AFTER_S: u64 = 30;
/// Connections that read the embedded store.
pub const READERS_MAX: usize = 16;
/// Connections to PostgreSQL that read what is asked for most, of one node.
pub const POSTGRES_READERS_MAX: usize = 8;
/// Connections to PostgreSQL that read lists, of one node. With the writer's one and two
/// for notices, thirteen in all.
pub const POSTGRES_LISTERS_MAX: usize = 2;
/// Nodes that may serve from one PostgreSQL; the last number of an id's six bits is for commands.
pub const NODES_MAX: i64 = 63;
/// How long a node's number stays its own without a sign of life.
pub const NODE_LEASE_S: u64 = 60;
/// Rooms, users and memberships that the embedded store's writer remembers, of each.
pub const WRITER_MEMORY_MAX: usize = 50_000;
/// Rooms whose newest message places stay in memory once they are written.
pub const PLACES_ROOMS_MAX: usize = 16_384;
/// Bytes of messages that are read together with the page they are on, or at a time after that; one
/// message more may be (D-0081).
pub const PAGE_READ_BYTES: usize = 262_144;
/// Rooms of a list that are read at first; it shows how many fit after that.
pub const ROOMS_AT_FIRST: usize = 10;
/// Bytes up to which an answer is made as a whole before it is sent.
pub const ANSWER_WHOLE_BYTES: usize = 262_144;
/// Misspelt fields that one refusal names.
pub const MISSPELT_FIELDS_MAX: usize = 8;
/// Bytes from which a list of messages is compressed for callers that accept it.
pub const COMPRESSED_BYTES_MIN: u64 = 2_048;
/// Bytes of a larger one that are made at a time, and one item more.
pub const ANSWER_CHUNK_BYTES: usize = 65_536;
/// Bytes that a list takes while it is written as it is read: what is read ahead, a chunk, and what
/// waits in the connection.
pub const STREAMED_ANSWER_BYTES: usize = 1024 * 1024;
/// Bytes of large answers to one user that wait to be sent.
pub const UNSENT_USER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Bytes of large answers to all users of an app that wait to be sent, and of those to the app
/// itself.
pub const UNSENT_APP_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Bytes of one room's first page that stays in memory.
pub const FIRST_PAGE_BYTES_MAX: usize = 262_144;
/// First pages whose versions are asked for together.
pub const FIRST_PAGES_ASKED_MAX: usize = 1024;
/// Bytes of the first pages that stay in memory.
pub const FIRST_PAGES_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes of the answers with first pages that stay in memory.
pub const SHOWN_PAGES_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Messages whose places are not yet written; also what a start reads again at most.
pub const PLACES_UNWRITTEN_MAX: usize = 65_536;
/// Apps whose keys are remembered.
pub const KNOWN_APPS_MAX: usize = 10_000;
/// How long remembered keys of an app may be out of date.
pub const KNOWN_APP_AGE_MS: u64 = 1_000;
/// Days that an old secret key goes on beside the new one when the operator does not say (D-0029).
pub const KEY_OVERLAP_DAYS_DEFAULT: u32 = 7;
/// Days that it may go on at most.
pub const KEY_OVERLAP_DAYS_MAX: u32 = 30;
/// Deliveries that are read at a time when many wait.
pub const DELIVERIES_PER_LOOK: usize = 5_000;
/// Deliveries that a look reads with what they say.
pub const WHOLE_PER_LOOK: usize = 256;
/// How long a node's buckets stay its own without a sign of life.
pub const BUCKET_LEASE_S: u64 = 15;
/// Deliveries that are counted when it is told how many wait.
pub const BACKLOG_COUNTED_MAX: usize = 10_000;
/// Old deliveries that are forgotten in one commit of the embedded store.
pub const FORGOTTEN_PER_COMMIT: usize = 500;
/// Days that what happened to messages is kept for those who catch up.
pub const EVENTS_KEPT_DAYS: i64 = 30;
/// Deliveries that one call looks at to find those that match.
pub const DELIVERIES_SCANNED_MAX: usize = 5_000;
/// Deliveries that one call has sent again.
pub const REPLAYED_PER_CALL_MAX: usize = 1_000;
/// Deliveries that are read at a time while looking for those that match.
pub const DELIVERIES_PER_SCAN: usize = 500;
/// Events that are kept for those who listen, of one app.
pub const LISTEN_EVENTS_MAX: usize = 1_000;
/// Events that one call of a listener is given.
pub const LISTEN_EVENTS_PER_CALL: usize = 100;
/// How long somebody who listened is waited for; what happens meanwhile is kept.
pub const LISTEN_KEPT_S: u64 = 60;
/// How long one call of a listener may wait.
pub const LISTEN_WAIT_MAX_S: u64 = 25;
/// How long the try of an endpoint may take, answer included: less than a request may run.
pub const ENDPOINT_TRY_MAX_MS: u32 = 25_000;
/// How long a webhook waits for the answer to the one that the same cause told before it (D-0057).
pub const WEBHOOK_TURN_MAX_MS: u64 = 500;
/// Webhooks that may lead to each other, one after the other.
pub const WEBHOOK_DEPTH_MAX: u32 = 3;
/// Participants that a notice names.
pub const NOTICE_PARTICIPANTS_MAX: usize = 100;
/// Bytes of a webhook's body that a caller wants to try a receiver with.
pub const TRIED_BODY_BYTES_MAX: usize = 131_072;
/// Characters of a webhook's body whose signature is checked for somebody.
pub const VERIFIED_BODY_CHARS_MAX: usize = 200_000;
/// Characters of the header with the signature, and of a key.
pub const VERIFIED_HEADER_CHARS_MAX: usize = 4_096;
/// Attempts of a delivery whose signatures are looked at then, the newest of them.
pub const VERIFIED_ATTEMPTS_MAX: usize = 100;
/// Agents of one app that are listed or considered at once.
pub const CANDIDATES_MAX: usize = 1_000;
/// Rooms that somebody who is deleted leaves at once.
pub const LEFT_ROOMS_MAX: usize = 10_000;
/// How long what a customer did, or is told, is of use.
pub const CHANNEL_AGE_MAX_S: u64 = 24 * 3600;
/// Seconds for which a failing send holds up what is said after it.
pub const CHANNEL_BLOCK_S: u32 = 120;
/// Milliseconds that one attempt at a service may take, media included.
pub const CHANNEL_ATTEMPT_MS: u32 = 60_000;
/// Requests that a Telegram bot makes in a second.
pub const TELEGRAM_PER_SECOND_MAX: u32 = 30;
/// Connections over which mail servers hand over mails (D-0170).
pub const LMTP_CONNECTIONS_MAX: usize = 64;
/// KiB of mails that are on their way in over them.
pub const LMTP_MAILS_KIB_MAX: u32 = 128 * 1024;
/// Bytes of a command.
pub const LMTP_LINE_BYTES_MAX: usize = 2_048;
/// Recipients of one mail.
pub const LMTP_RECIPIENTS_MAX: usize = 100;
/// Events of one hook, or one answer to a poll.
pub const CHANNEL_EVENTS_MAX: usize = 1_000;
/// Seconds after a customer's message for which WhatsApp takes any answer.
pub const WHATSAPP_WINDOW_S: i64 = 24 * 3600;
/// The same for Messenger and Instagram (channel facts 4.2).
pub const MESSENGER_WINDOW_S: i64 = 24 * 3600;
/// Seconds for which a person may answer there, marked as one, where the channel says so (D-0137).
pub const HUMAN_AGENT_WINDOW_S: i64 = 7 * 24 * 3600;
/// What was sent before a customer read something, the newest first: so much of it is looked at.
pub const RECEIPT_MESSAGES_MAX: usize = 100;
/// Messages of a number of WhatsApp in a second.
pub const WHATSAPP_PER_SECOND_MAX: u32 = 80;
/// Seconds after which something is sent once more that WhatsApp refused for a window which is open
/// by all that is known here.
pub const WINDOW_AGAIN_S: u64 = 30;
/// How long a status is retained that arrived before its send was recorded (D-0196).
pub const EARLY_STATUS_MAX_S: u64 = 3600;
/// The longest pause between two attempts to apply it.
pub const EARLY_STATUS_PAUSE_MAX_S: u64 = 300;
/// How long it is known what became of something that was sent beside all rooms (D-0155).
pub const DIRECT_SENDS_KEPT_DAYS: i64 = 30;
/// Milliseconds that a service has for answering what an app sends through it by itself; less than
/// the request has.
pub const DIRECT_SEND_MS: u64 = 20_000;
/// Bytes of a hook's body: what services send has up to 3 MB.
pub const HOOK_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Pages of templates that a service is asked for; each has 100.
pub const TEMPLATE_PAGES_MAX: usize = 20;
/// Channels whose templates are remembered.
pub const TEMPLATES_OF_CHANNELS_MAX: usize = 64;
/// Values that a template is given, of one kind.
pub const TEMPLATE_VALUES_MAX: usize = 100;
/// Characters of one of them.
pub const TEMPLATE_VALUE_CHARS_MAX: usize = 2_048;
/// People whom one call writes to.
pub const BROADCAST_NUMBERS_MAX: usize = 100;
/// Bytes that are read of a service's answer.
pub const SERVICE_ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Customers of LINE whose newest reply token is remembered (D-0158).
pub const REPLY_TOKENS_MAX: usize = 20_000;
/// Channels of one app: the key that a gateway shows is compared with all of theirs.
pub const CHANNELS_MAX: usize = 100;
/// Characters that a channel's key must have at least.
pub const CHANNEL_KEY_CHARS_MIN: usize = 8;
/// Characters that it may have at most.
pub const CHANNEL_KEY_CHARS_MAX: usize = 255;
/// Properties that the widget may send with a customer.
pub const USER_PROPERTIES_MAX: usize = 100;
/// How long a nonce is good, and a token of identity made with it.
pub const NONCE_GOOD_S: i64 = 600;
/// How long a ticket for `/realtime` is good.
pub const REALTIME_TICKET_GOOD_S: i64 = 30;
/// How often a customer's message looks for its room anew when that changes meanwhile.
pub const ROOM_TRIES_MAX: usize = 5;
/// Tags of one room.
pub const ROOM_TAGS_MAX: usize = 100;
/// Characters of a tag, a label or a key of what is known about a customer.
pub const LABEL_CHARS_MAX: usize = 100;
/// Characters of a text that the widget says, and of an origin that may show it.
pub const WIDGET_TEXT_CHARS_MAX: usize = 500;
/// Things that the widget asks a visitor for before they write.
pub const WIDGET_FIELDS_MAX: usize = 10;
/// Origins that may show the widget.
pub const WIDGET_ORIGINS_MAX: usize = 50;
/// Characters of what is known about a customer, of each, and of notes.
pub const INFO_CHARS_MAX: usize = 4_000;
/// Notes beside one conversation's room.
pub const NOTES_OF_ROOM_MAX: usize = 5_000;
/// Things known about a customer, in one room or in all.
pub const INFOS_MAX: usize = 100;
/// Custom buttons of one app, those included that are there no more.
pub const BUTTONS_OF_APP_MAX: usize = 1_000;
/// Customers' rooms that one call looks at to find those that match.
pub const ROOMS_SCANNED_MAX: usize = 5_000;
/// Customers' rooms that are counted to say how many there are.
pub const ROOMS_COUNTED_MAX: usize = 100_000;
/// Rooms that an agent once served that are sorted for each page; of more, those of the app are
/// gone through in their order.
pub const SERVED_ROOMS_SORTED_MAX: usize = 2_000;
/// Customers' rooms that are read at a time.
pub const ROOMS_PER_SCAN: usize = 500;
/// Messages and users that one step of the index of search takes up.
pub const INDEX_STEP: usize = 200;
/// Messages that it looks at for those: most may be in rooms that are not searched.
pub const INDEX_LOOKED_AT: usize = 2_000;
/// How long who writes the index keeps others from it.
pub const INDEX_HELD_MS: i64 = 30_000;
/// The longest time without a message after which a conversation ends by itself, in minutes.
pub const IDLE_RESOLVE_MINUTES_MAX: u32 = 30 * 24 * 60;
/// How long a customer may say how a conversation was, after they were asked.
pub const RATING_GOOD_S: i64 = 86_400;
/// Characters of the question how a conversation was: what buttons of channels bear.
pub const RATING_QUESTION_CHARS_MAX: usize = 1_000;
/// Characters of one of its answers: the same.
pub const RATING_LABEL_CHARS_MAX: usize = 20;
/// Rows of analytics that are corrected in one commit while they are counted anew.
pub const RECOUNTED_PER_COMMIT: i64 = 2_000;
/// Messages that are erased, or exported, at a time.
pub const ERASED_PER_COMMIT: usize = 100;
/// Words of a message that it is found by.
pub const SEARCH_WORDS_OF_MESSAGE_MAX: usize = 1_000;
/// Letters of a word that count.
pub const SEARCH_WORD_CHARS_MAX: usize = 40;
/// Words that a search looks for.
pub const SEARCH_WORDS_MAX: usize = 8;
/// What the index has for a search that one call looks at to find what may be seen.
pub const SEARCH_HITS_MAX: usize = 1_000;
/// Letters that are shown on either side of the first word that was found.
pub const SEARCH_CUT_CHARS: usize = 80;
/// Messages of a room that are looked at to show what was said last.
pub const LAST_WORDS_LOOKED_AT: usize = 20;
/// Waiting customers that one look at an app's queue considers.
pub const QUEUE_LOOKED_AT: usize = 10_000;
/// Waiting customers that are read at a time.
pub const QUEUE_PER_READ: usize = 500;
/// Tags of one app that are listed.
pub const TAGS_MAX: usize = 1_000;
/// Attempts that run at once, whatever the endpoints allow, if enough files may be open.
pub const ATTEMPTS_AT_ONCE_MAX: usize = 20_000;
/// Attempts beside these that wait for somebody else, such as for a customer's file (D-0171).
pub const ATTEMPTS_ASIDE_MAX: usize = 10_000;
/// Files of customers that are fetched from services at once, if enough files may be open.
pub const FETCHES_AT_ONCE_MAX: usize = 2_048;
/// Bytes of one hint from node to node (D-0040).
pub const BUS_FRAME_BYTES_MAX: usize = 7_000;
/// Bytes of names in what nodes tell each other about who looks at a conversation.
pub const VIEWERS_HINT_BYTES_MAX: usize = 4_000;
/// Hints that wait to be told to other nodes.
pub const BUS_QUEUE_MAX: usize = 4_096;
/// Hints of other nodes that wait to be heeded.
pub const BUS_HEARD_MAX: usize = 4_096;
/// Bytes of hints that travel together.
pub const BUS_PACKET_BYTES_MAX: usize = 32_768;
/// Packets that came from the bus and were not looked at yet.
pub const BUS_PACKETS_MAX: usize = 1_024;
/// Age of a packet of another node past which it is dropped, in milliseconds; also how far the
/// clocks of two nodes may differ until they stop accepting each other's packets.
pub const BUS_PACKET_AGE_MAX_MS: u64 = 30_000;
/// Nodes whose hints are counted.
pub const BUS_SENDERS_MAX: usize = 1_024;
/// How long a node may be silent until it is missed.
pub const BUS_SILENCE_MAX_MS: u64 = 5_000;
/// Passwords hashed at the same time.
pub const HASHING_MAX: usize = 2;
/// Passwords that wait to be hashed in one queue: those of one app and kind (D-0069).
pub const HASHING_QUEUE_MAX: usize = 256;
/// Passwords from one address that wait in one queue.
pub const HASHING_QUEUE_OF_PEER_MAX: usize = 64;
/// When somebody may come again for whom there was no room in a queue.
pub const HASHING_RETRY_S: u64 = 2;
/// How long a client may take in nothing of what is written to it.
pub const WRITE_STALL_MS: u64 = 20_000;
/// How long a connection may be without a request: from its beginning, and after each answer.
pub const IDLE_MS: u64 = 10_000;
/// How long a client may take to agree on encryption.
pub const TLS_HANDSHAKE_MS: u64 = 10_000;
/// How long a client may take to send its request headers.
pub const HEADER_TIMEOUT_MS: u64 = 10_000;
/// Bytes that are read ahead, or wait to be written, on one connection. A request's head fits.
pub const HTTP_BUFFER_BYTES_MAX: usize = 65_536;
/// Requests that one HTTP/2 connection may have under way.
pub const HTTP2_STREAMS_MAX: u32 = 128;
/// Bytes that one of them may send before they are read: a whole body.
pub const HTTP2_STREAM_WINDOW_BYTES: u32 = 262_144;
/// Bytes that all of one connection may.
pub const HTTP2_CONNECTION_WINDOW_BYTES: u32 = 1_048_576;
/// Bytes of the headers of one request by HTTP/2.
pub const HTTP2_HEADERS_BYTES_MAX: u32 = 65_536;
/// Requests that a client took back, and that we have not looked at yet; more end its connection.
pub const HTTP2_RESETS_MAX: usize = 32;
/// How long a request may run; an upload goes on while enough of it arrives.
pub const REQUEST_TIMEOUT_MS: u64 = 30_000;

// Clients of users (wire facts 4).

/// Messages that one user has hidden in one room.
pub const HIDDEN_MESSAGES_MAX: usize = 1_000;
/// Messages that a user deletes in one call.
pub const OWN_DELETE_IDS_MAX: usize = 100;
/// How long before a client's last message another node may have made a message that it committed
/// later (D-0049).
pub const SYNC_LATE_MS: i64 = 5_000;
/// Age of a client's last message, in milliseconds, up to which such messages are repeated.
pub const SYNC_LATE_ASKED_MS: i64 = 60_000;
/// Such messages in one answer of `sync`, in addition to its page.
pub const SYNC_LATE_MAX: usize = 100;
/// What happened to messages that one call of `sync_event` gives.
pub const SYNC_EVENTS_MAX: usize = 100;
/// Participants of a room up to which it is found out whether all received and read a message.
pub const STATUS_PARTICIPANTS_MAX: usize = 1_000;
/// Rooms that one search looks through.
pub const SEARCH_ROOMS_MAX: usize = 100;
/// Messages that one search looks at, in all rooms together.
pub const SEARCH_MESSAGES_MAX: usize = 5_000;
/// Messages of a room that are looked at at least, however many rooms are searched.
pub const SEARCH_ROOM_MESSAGES_MIN: usize = 100;
/// Characters of what is searched for.
pub const SEARCH_CHARS_MAX: usize = 255;

// Connections.

/// Files that are kept for the store, for webhooks and for uploads: a quarter of those that may be
/// open, and not more than this (D-0062).
pub const FILES_RESERVED_MAX: usize = 4_096;
/// Sockets that are kept for requests: a sixteenth of the files, and not more than this.
pub const REQUEST_SOCKETS_MAX: usize = 1_024;
/// Connections that wait to be taken, of each listener; the system may allow fewer.
pub const CONNECTIONS_IN_LINE_MAX: i32 = 16_384;
/// One address has at most one of so many of all sockets, unless the operator says otherwise.
pub const ADDRESS_SOCKETS_SHARE: usize = 4;
/// Connections of one user that stay, and never more than half of all. An app leaves a tenth to
/// others.
pub const CONNECTIONS_OF_USER_MAX: usize = 1_000;

/// When somebody may come again for whom there was no room.
pub const COME_AGAIN_S: u64 = 5;

// Realtime.

/// Signals that wait for one connection; one that does not read them in time is cut off.
pub const REALTIME_QUEUE_MAX: usize = 256;
/// Addresses that one connection listens to.
pub const REALTIME_ADDRESSES_MAX: usize = 2_048;
/// How late the commit of an id may become visible after ids of other nodes.
pub const REALTIME_LATE_MS: u64 = 60_000;
/// How far an id may be ahead of the clock before it no longer moves a cursor on, in milliseconds.
pub const REALTIME_AHEAD_MS: u64 = 5_000;
/// How far realtime may lag behind commits before the node is not ready, in milliseconds.
pub const REALTIME_LAG_MAX_MS: u64 = 15_000;
/// Commits whose news wait to be shown; past it, what was missed is read from the store.
pub const REALTIME_NEWS_MAX: usize = 4_096;
/// Rooms whose audience a node remembers.
pub const REALTIME_AUDIENCES_MAX: usize = 10_000;
/// Signals that are written to a connection at once.
pub const REALTIME_FRAMES_PER_WRITE: usize = 64;
/// How long one write may take before the connection is given up.
pub const REALTIME_WRITE_MS: u64 = 10_000;
/// Events that are read at a time for somebody who missed them.
pub const REALTIME_MISSED_PER_READ: usize = 200;
/// Bytes of messages, and of what happened to messages, that are read of them at a time; of each
/// one event more.
pub const REALTIME_MISSED_READ_BYTES: usize = 262_144;
/// Bytes of what a node missed and holds to show it in order; past it, those who are connected load
/// anew.
pub const REALTIME_MISSED_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Events that are shown again; who missed more must load anew.
pub const REALTIME_MISSED_MAX: usize = 10_000;
/// How often a connection shows that it lives.
pub const REALTIME_HEARTBEAT_MS: u64 = 25_000;
/// How long nothing may come from a client before it is given up.
pub const REALTIME_SILENCE_MS: u64 = 75_000;
/// Bytes of one frame of a client.
pub const REALTIME_FRAME_BYTES_MAX: usize = 16_384;
/// Frames that a client may send in a second.
pub const REALTIME_FRAMES_PER_SECOND: u32 = 20;

/// Users whose coming and going is remembered until the store has it, and for a little longer.
pub const PRESENCES_REMEMBERED_MAX: usize = 100_000;
/// How long what was told of somebody counts more than what the store has.
pub const PRESENCE_FRESH_MS: u64 = 10_000;
/// Users whose presence is written in one commit.
pub const PRESENCES_PER_COMMIT: usize = 1_000;

/// Bytes of a packet that a client may send by MQTT.
pub const MQTT_PACKET_BYTES_MAX: usize = 262_144;
/// Bytes that wait to be written to one client before they are.
pub const MQTT_WRITE_BYTES: usize = 32_768;
/// Characters of a client's own name.
pub const MQTT_CLIENT_ID_CHARS_MAX: usize = 512;
/// Filters of one SUBSCRIBE.
pub const MQTT_FILTERS_PER_PACKET: usize = 8_192;
/// Filters of one client.
pub const MQTT_FILTERS_MAX: usize = 8_192;
/// Messages of QoS 1 and 2 that a client has not acknowledged.
pub const MQTT_IN_FLIGHT_MAX: usize = 64;
/// Messages of QoS 1 and 2 that wait behind those, also while the client is away.
pub const MQTT_QUEUED_MAX: usize = 256;
/// Messages of QoS 2 of a client whose PUBREL is not here yet.
pub const MQTT_RELEASES_MAX: usize = 64;
/// Sessions of clients that are away, of one node.
pub const MQTT_SESSIONS_AWAY_MAX: usize = 10_000;
/// Those of them that are of one app: it leaves a tenth to others.
pub const MQTT_SESSIONS_AWAY_OF_APP_MAX: usize = 9_000;
/// Those of them that are of one user; their oldest gives way to their newest.
pub const MQTT_SESSIONS_AWAY_OF_USER_MAX: usize = 20;
/// How long a session waits for its client.
pub const MQTT_SESSION_KEPT_S: u64 = 3_600;
/// How long a connection may take to say CONNECT.
pub const MQTT_CONNECT_TIMEOUT_MS: u64 = 10_000;
/// How long it may stay after that without showing whose it is.
pub const MQTT_SIGN_IN_TIMEOUT_MS: u64 = 10_000;
/// How long a client may be silent that asks for no keep-alive.
pub const MQTT_SILENCE_MAX_S: u64 = 7_200;
/// How long a client may take to read what is written to it.
pub const MQTT_WRITE_TIMEOUT_MS: u64 = 10_000;
/// How long a connection that is taken over may take to hand over its session.
pub const MQTT_TAKE_OVER_MS: u64 = 1_000;
/// Packets that a client may send at once, and how many of them in each second after that.
pub const MQTT_PACKETS_BURST: u32 = 1_000;
/// See `MQTT_PACKETS_BURST`.
pub const MQTT_PACKETS_PER_SECOND: u32 = 200;
/// A PUBLISH is shown to many: it counts as so many packets.
pub const MQTT_PUBLISH_COST: u32 = 10;
/// Filters that count as one packet more.
pub const MQTT_FILTERS_PER_COST: usize = 10;
/// Bytes of a custom event.
pub const CUSTOM_EVENT_BYTES_MAX: usize = 4_096;

// Pushes.

/// Bytes of what is shown on a phone: more is refused by those who bring it there.
pub const PUSH_BYTES_MAX: usize = 4_096;
/// Characters of its title.
pub const PUSH_TITLE_CHARS_MAX: usize = 100;
/// Phones that one message is pushed to.
pub const PUSHES_PER_MESSAGE_MAX: usize = 1_000;
/// How long a push is of use.
pub const PUSH_AGE_MAX_S: u64 = 24 * 3600;
/// Connections for pushes that are kept, one a host.
pub const PUSH_CONNECTIONS_MAX: usize = 8;
/// Bytes of the file with the key that signs pushes.
pub const PUSH_KEY_BYTES_MAX: u64 = 16_384;

// Sealed secrets (D-0086).

/// Rows whose secrets are sealed anew in one commit.
pub const SECRETS_PER_COMMIT: usize = 500;
/// Bytes of the file with the keys that seal them.
pub const SECRETS_KEY_FILE_BYTES_MAX: u64 = 4_096;

/// Days that analytics look at in one call.
pub const ANALYTICS_DAYS_MAX: i32 = 400;

/// The same where they are cut into hours.
pub const ANALYTICS_HOURLY_DAYS_MAX: i32 = 62;

/// Conversations that one call does something to.
pub const BULK_ROOMS_MAX: usize = 100;

// Moving apps (D-0173).

/// Lines that are taken in by one commit.
pub const IMPORTED_PER_COMMIT: usize = 500;
/// The same of sessions: each asks for all that is known of its room.
pub const IMPORTED_SESSIONS_PER_COMMIT: usize = 100;
/// Bytes of lines that are.
pub const IMPORTED_BYTES_PER_COMMIT: usize = 4 * 1024 * 1024;
/// Bytes of one line: more than anything that is kept.
pub const IMPORT_LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Comments that are asked for at a time (spec 8).
pub const FETCHED_PER_CALL: usize = 100;
/// How often a call that fails is made again.
pub const FETCH_TRIES_MAX: u32 = 8;

// Traces (D-0167).

/// Spans that wait to be sent to the collector; more are dropped and counted.
pub const SPANS_QUEUED_MAX: usize = 4_096;
/// Spans in one post to the collector.
pub const SPANS_POSTED_MAX: usize = 512;
/// How often a post that the collector cannot take now is made.
pub const SPAN_POSTS_MAX: u32 = 4;
/// Bytes that are read of what the collector answers.
pub const COLLECTOR_ANSWER_BYTES_MAX: usize = 16_384;
/// Deliveries of which it is remembered which trace they are of (D-0168).
pub const TRACED_DELIVERIES_MAX: usize = 16_384;
