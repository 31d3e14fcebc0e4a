-- Counters of support events per quarter of an hour (D-0140), and request headers of attempts.
CREATE TABLE analytics_hours (
    app INTEGER NOT NULL,
    quarter INTEGER NOT NULL,
    channel INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    measure INTEGER NOT NULL,
    node INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (app, quarter, channel, agent, measure, node)
) STRICT, WITHOUT ROWID;

ALTER TABLE attempts ADD COLUMN headers TEXT;
