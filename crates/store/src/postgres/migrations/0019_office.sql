-- Counters of support events per quarter of an hour (D-0140), and request headers of attempts.
CREATE TABLE analytics_hours (
    app BIGINT NOT NULL,
    quarter BIGINT NOT NULL,
    channel BIGINT NOT NULL,
    agent BIGINT NOT NULL,
    measure BIGINT NOT NULL,
    node BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (app, quarter, channel, agent, measure, node)
);

ALTER TABLE attempts ADD COLUMN headers TEXT;
