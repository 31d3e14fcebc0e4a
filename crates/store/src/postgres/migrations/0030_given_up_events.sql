-- For the number of failed events of customers (standing 3) in the health of their channel.
CREATE INDEX deliveries_given_up ON deliveries (endpoint)
    WHERE standing = 3 AND kind = 'channel_event';
