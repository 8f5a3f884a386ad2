-- What must survive a restart so that no host is asked sooner than it was promised.

CREATE TABLE hosts (
    host            text        NOT NULL PRIMARY KEY,
    last_request_at timestamptz NOT NULL,
    next_allowed_at timestamptz NOT NULL,
    delay_ms        bigint      NOT NULL CHECK (delay_ms >= 0),
    suspended_until timestamptz,
    strikes         bigint      NOT NULL CHECK (strikes >= 0),
    updated_at      timestamptz NOT NULL
);

CREATE TABLE robots (
    origin     text        NOT NULL PRIMARY KEY,
    fetched_at timestamptz NOT NULL,
    status     bigint      NOT NULL,
    body       bytea       NOT NULL
);

CREATE INDEX robots_by_age ON robots (fetched_at);
