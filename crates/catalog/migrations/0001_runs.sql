-- Both engines read this file. SQLite takes any type's name and keeps what it is given: numbers, text or bytes.

CREATE TABLE counters (
    name  text   NOT NULL PRIMARY KEY,
    value bigint NOT NULL
);

CREATE TABLE runs (
    id           bigint      NOT NULL PRIMARY KEY,
    round        text,
    job          text        NOT NULL,
    status       text        NOT NULL CHECK (status IN ('running', 'done', 'failed', 'aborted', 'interrupted')),
    parameters   jsonb       NOT NULL,
    counts       jsonb       NOT NULL,
    outcome      text,
    exit_code    bigint,
    host         text        NOT NULL,
    boot_id      text        NOT NULL,
    pid          bigint      NOT NULL,
    pid_started  bigint      NOT NULL,
    started_at   timestamptz NOT NULL,
    heartbeat_at timestamptz NOT NULL,
    ended_at     timestamptz,
    CHECK ((status = 'running') = (ended_at IS NULL))
);

CREATE INDEX runs_by_round ON runs (round, id);
CREATE INDEX runs_by_job ON runs (job, id);
CREATE INDEX runs_running ON runs (id) WHERE status = 'running';

CREATE TABLE run_stages (
    run_id     bigint NOT NULL REFERENCES runs (id),
    stage      text   NOT NULL,
    position   bigint NOT NULL,
    status     text   NOT NULL CHECK (status IN ('pending', 'running', 'done', 'failed')),
    counts     jsonb  NOT NULL,
    started_at timestamptz,
    ended_at   timestamptz,
    PRIMARY KEY (run_id, stage),
    UNIQUE (run_id, position)
);
