-- Events of customers that were given up are counted for the health of their channel.
CREATE INDEX deliveries_given_up ON deliveries (endpoint)
    WHERE standing = 3 AND kind = 'channel_event';
