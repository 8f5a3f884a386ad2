-- A released lock keeps its row without a holder, so that its fencing number never starts again.

CREATE TABLE locks (
    name        text        NOT NULL PRIMARY KEY,
    holder      text,
    host        text        NOT NULL,
    boot_id     text        NOT NULL,
    pid         bigint      NOT NULL,
    pid_started bigint      NOT NULL,
    since       timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    fence       bigint      NOT NULL CHECK (fence > 0)
);
