//! The ports that may be called.

/// Whether a port is open to web requests by default.
pub(super) fn is_open(port: u16) -> bool {
    matches!(port, 80 | 443 | 1024..)
        && !SERVICE_PORTS.iter().any(|of_kind| of_kind.contains(&port))
}

/// Whether a port is used by mail servers; only e-mail channels may connect to it.
pub(super) fn is_mail(port: u16) -> bool {
    matches!(port, 24 | 25 | 143 | 465 | 587 | 993 | 1025 | 2525)
}

/// Ports from 1024 on that belong to other services and must not receive web requests. Below 1024,
/// only ports 80 and 443 are open, so that the usual ports of ssh and mail are blocked.
const SERVICE_PORTS: [&[u16]; 8] = [
    // Databases.
    &[
        1433, 1521, 3306, 5432, 5433, 5984, 6432, 7474, 7687, 8123, 9042, 26257, 27017, 27018,
        27019, 28015, 33060, 50070,
    ],
    // Caches.
    &[6379, 6380, 11211, 16379, 26379],
    // Search.
    &[6333, 7700, 8108, 8983, 9200, 9300],
    // Container engines and orchestrators.
    &[2375, 2376, 2377, 2379, 2380, 4243, 6443, 10250, 10255],
    // Mail and ssh on unprivileged ports.
    &[1025, 2222, 2525],
    // Queues and brokers.
    &[1883, 4222, 5671, 5672, 6222, 8222, 8883, 9092, 15672, 61616],
    // Secrets and coordination.
    &[2181, 8200, 8500],
    // File sharing, remote desktops, telephony, chat and proxies.
    &[2049, 3128, 3389, 5060, 5061, 5900, 5985, 5986, 6000, 6667, 7000, 7001],
];
