//! SQL statements about sealed secrets.
//!
//! Pages select rows with secrets that do not begin with a given prefix, which names the sealing
//! key. An update matches its row only if the row is unchanged, because servers may write
//! concurrently. 16 is the length of a prefix.

use crate::sql::statements;

statements! {
    KEYS = "SELECT id, proof FROM secret_keys ORDER BY id";
    ADD_KEY = "INSERT INTO secret_keys (id, proof) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    REMOVE_KEY = "DELETE FROM secret_keys WHERE id = $1";
    REMOVE_KEYS = "DELETE FROM secret_keys";
    IN_CLEAR = "SELECT is_so FROM secrets_in_clear";
    ALL_SEALED = "DELETE FROM secrets_in_clear";
    ANY_APP = "SELECT id FROM apps LIMIT 1";

    APPS = "SELECT id, code, sdk_secret, secret_key, other_key FROM apps WHERE id > $1 AND \
        (substr(sdk_secret, 1, 16) <> $2 OR substr(secret_key, 1, 16) <> $2 \
        OR substr(other_key, 1, 16) <> $2) ORDER BY id LIMIT $3";
    PUT_APP = "UPDATE apps SET sdk_secret = $2, secret_key = $3, other_key = $4 WHERE id = $1 \
        AND sdk_secret = $5 AND secret_key = $6 AND coalesce(other_key, '') = $7";
    COUNT_APPS = "SELECT count(*) FROM apps WHERE substr(sdk_secret, 1, 16) = $1 \
        OR substr(secret_key, 1, 16) = $1 OR substr(other_key, 1, 16) = $1";

    USERS = "SELECT id, token_hash, sealed_token FROM users WHERE id > $1 \
        AND (sealed_token IS NULL OR substr(sealed_token, 1, 16) <> $2) ORDER BY id LIMIT $3";
    PUT_USER = "UPDATE users SET token_hash = $2, sealed_token = $3 \
        WHERE id = $1 AND token_hash = $4";
    COUNT_USERS = "SELECT count(*) FROM users WHERE substr(sealed_token, 1, 16) = $1";

    CHANNELS = "SELECT id, identifier_key FROM channels WHERE id > $1 \
        AND substr(identifier_key, 1, 16) <> $2 ORDER BY id LIMIT $3";
    PUT_CHANNEL = "UPDATE channels SET identifier_key = $2 WHERE id = $1 AND identifier_key = $3";
    COUNT_CHANNELS = "SELECT count(*) FROM channels WHERE substr(identifier_key, 1, 16) = $1";

    // A page may end within a channel: the next pass selects the rest.
    CHANNEL_SECRETS = "SELECT channel, name, sealed FROM channel_secrets WHERE channel > $1 \
        AND substr(sealed, 1, 16) <> $2 ORDER BY channel, name LIMIT $3";
    PUT_CHANNEL_SECRET = "UPDATE channel_secrets SET sealed = $3 \
        WHERE channel = $1 AND name = $2 AND sealed = $4";
    COUNT_CHANNEL_SECRETS = "SELECT count(*) FROM channel_secrets \
        WHERE substr(sealed, 1, 16) = $1";

    // Only kinds that hold a key. Each engine uses its own primary key.
    SQLITE_DELIVERIES = "SELECT 0, id, body FROM deliveries WHERE id > $1 + 0 * $4 \
        AND kind IN ('agent_allocation', 'logout') AND substr(body, 1, 16) <> $2 \
        ORDER BY id LIMIT $3";
    POSTGRES_DELIVERIES = "SELECT bucket, id, body FROM deliveries WHERE (bucket, id) > ($4, $1) \
        AND kind IN ('agent_allocation', 'logout') AND substr(body, 1, 16) <> $2 \
        ORDER BY bucket, id LIMIT $3";
    SQLITE_PUT_DELIVERY = "UPDATE deliveries SET body = $3 \
        WHERE id = $2 AND body = $4 AND $1 = 0";
    POSTGRES_PUT_DELIVERY = "UPDATE deliveries SET body = $3 \
        WHERE bucket = $1 AND id = $2 AND body = $4";
    SQLITE_REMOVE_DELIVERY = "DELETE FROM deliveries WHERE id = $2 AND $1 = 0";
    POSTGRES_REMOVE_DELIVERY = "DELETE FROM deliveries WHERE bucket = $1 AND id = $2";
    COUNT_DELIVERIES = "SELECT count(*) FROM deliveries \
        WHERE kind IN ('agent_allocation', 'logout') AND substr(body, 1, 16) = $1";
}
