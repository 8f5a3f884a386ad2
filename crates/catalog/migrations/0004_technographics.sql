-- What sites run: the rules, what was matched where, and what follows from it month by month.
-- A month is text (`2026-11`): it sorts, both engines have it, and it is a key, never a time.

CREATE TABLE categories (
    key       text    NOT NULL PRIMARY KEY,
    title     text    NOT NULL,
    about     text    NOT NULL,
    exclusive boolean NOT NULL
);

CREATE TABLE signals (
    id         bigint      NOT NULL PRIMARY KEY,
    name       text        NOT NULL UNIQUE,
    pack       text        NOT NULL,
    category   text        NOT NULL,
    vendor     text        NOT NULL,
    family     text        NOT NULL,
    website    text        NOT NULL,
    definition jsonb       NOT NULL,
    enabled    boolean     NOT NULL,
    deleted_at timestamptz,
    updated_at timestamptz NOT NULL
);

-- A fingerprint that changes keeps its id and gets the next version; one that is gone from its pack is only marked.
CREATE TABLE fingerprints (
    id         bigint      NOT NULL PRIMARY KEY,
    key        text        NOT NULL UNIQUE,
    pack       text        NOT NULL,
    signal     text        NOT NULL,
    part       text        NOT NULL,
    definition jsonb       NOT NULL,
    version    bigint      NOT NULL CHECK (version > 0),
    enabled    boolean     NOT NULL,
    deleted_at timestamptz,
    updated_at timestamptz NOT NULL
);

-- The enabled rules, frozen. The one with the highest activation is in force: clocks may go back, a count does not.
-- The same rules are the same version.
CREATE TABLE rule_sets (
    version      bigint      NOT NULL PRIMARY KEY,
    digest       text        NOT NULL UNIQUE,
    activation   bigint      NOT NULL UNIQUE,
    created_at   timestamptz NOT NULL,
    activated_at timestamptz NOT NULL,
    reason       text        NOT NULL,
    signals      bigint      NOT NULL,
    fingerprints bigint      NOT NULL,
    definition   bytea       NOT NULL
);

-- The ledger of process: how far each segment was read with each rule set.
CREATE TABLE processed_segments (
    sha256       text        NOT NULL,
    rule_set     bigint      NOT NULL,
    round        text        NOT NULL,
    segment      bigint      NOT NULL,
    records_done bigint      NOT NULL CHECK (records_done >= 0),
    pages        bigint      NOT NULL,
    matches      bigint      NOT NULL,
    started_at   timestamptz NOT NULL,
    finished_at  timestamptz,
    PRIMARY KEY (sha256, rule_set)
);

CREATE INDEX processed_segments_by_round ON processed_segments (round, segment);

-- In which months the pages of a round ended, and which rules read them: it follows from the pages, and spares a look
-- at millions of them.
CREATE TABLE processed_months (
    month    text   NOT NULL,
    round    text   NOT NULL,
    rule_set bigint NOT NULL,
    PRIMARY KEY (month, round, rule_set)
);

CREATE TABLE pages (
    round       text        NOT NULL,
    line        bigint      NOT NULL,
    site        text        NOT NULL,
    month       text        NOT NULL,
    url         text        NOT NULL,
    final_url   text,
    ended_at    timestamptz NOT NULL,
    disposition text        NOT NULL,
    detail      text        NOT NULL,
    status      bigint,
    PRIMARY KEY (round, line)
);

CREATE INDEX pages_by_site ON pages (month, site);

-- The month comes first, so that a month is one stretch of the key: it is archived and leaves as a whole.
-- There is no index by site: a page knows its site, and the way from there is short.
CREATE TABLE matches (
    round       text        NOT NULL,
    line        bigint      NOT NULL,
    fingerprint bigint      NOT NULL,
    rule_set    bigint      NOT NULL,
    site        text        NOT NULL,
    month       text        NOT NULL,
    found_at    timestamptz NOT NULL,
    confidence  bigint      NOT NULL,
    position    bigint      NOT NULL,
    snippet     text        NOT NULL,
    version     text,
    account     text,
    tracker     text,
    implied_by  bigint,
    PRIMARY KEY (month, round, line, fingerprint, rule_set)
);

CREATE TABLE findings (
    site          text        NOT NULL,
    fingerprint   bigint      NOT NULL,
    month         text        NOT NULL,
    rule_set      bigint      NOT NULL,
    match_count   bigint      NOT NULL,
    first_seen_at timestamptz NOT NULL,
    last_seen_at  timestamptz NOT NULL,
    confidence    bigint      NOT NULL,
    version       text,
    account       text,
    tracker       text,
    implied_by    bigint,
    url           text        NOT NULL,
    position      bigint      NOT NULL,
    snippet       text        NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (site, fingerprint, month)
);

CREATE INDEX findings_by_month ON findings (month, site);

CREATE TABLE site_months (
    site        text        NOT NULL,
    month       text        NOT NULL,
    targets     bigint      NOT NULL,
    captured    bigint      NOT NULL,
    failed      bigint      NOT NULL,
    excluded    bigint      NOT NULL,
    main_detail text,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (site, month)
);

CREATE INDEX site_months_by_month ON site_months (month, site);

-- What each month came to. It follows from findings and site_months, and spares counting millions of them.
CREATE TABLE month_findings (
    month    text   NOT NULL,
    rule_set bigint NOT NULL,
    findings bigint NOT NULL,
    PRIMARY KEY (month, rule_set)
);

CREATE TABLE month_coverage (
    month    text   NOT NULL PRIMARY KEY,
    sites    bigint NOT NULL,
    targets  bigint NOT NULL,
    captured bigint NOT NULL
);

CREATE TABLE changes (
    month     text        NOT NULL,
    site      text        NOT NULL,
    signal    bigint      NOT NULL,
    previous  text,
    kind      text        NOT NULL CHECK (kind IN ('added', 'dropped', 'kept', 'unknown')),
    certainty text        NOT NULL CHECK (certainty IN ('certain', 'likely', 'unknown')),
    reason    text        NOT NULL,
    since     timestamptz,
    rule_set  bigint      NOT NULL,
    evidence  jsonb       NOT NULL,
    PRIMARY KEY (month, site, signal)
);

CREATE TABLE dual_vendors (
    month         text        NOT NULL,
    account       text        NOT NULL,
    category      text        NOT NULL,
    second_signal bigint      NOT NULL,
    first_signal  bigint      NOT NULL,
    first_since   timestamptz NOT NULL,
    second_since  timestamptz NOT NULL,
    is_new        boolean     NOT NULL,
    certainty     text        NOT NULL,
    rule_set      bigint      NOT NULL,
    evidence      jsonb       NOT NULL,
    PRIMARY KEY (month, account, category, second_signal)
);

CREATE TABLE accounts (
    id         text        NOT NULL PRIMARY KEY,
    name       text        NOT NULL,
    website    text        NOT NULL,
    street     text        NOT NULL,
    city       text        NOT NULL,
    region     text        NOT NULL,
    postcode   text        NOT NULL,
    country    text        NOT NULL,
    updated_at timestamptz NOT NULL
);

-- Which sites belong to which account, how that is known and how sure it is, of a hundred.
CREATE TABLE account_sites (
    account    text        NOT NULL,
    site       text        NOT NULL,
    source     text        NOT NULL,
    confidence bigint      NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (account, site)
);

CREATE INDEX account_sites_by_site ON account_sites (site, account);

-- The same content never goes to the same destination twice.
CREATE TABLE deliveries (
    destination  text        NOT NULL,
    file         text        NOT NULL,
    sha256       text        NOT NULL,
    path         text        NOT NULL,
    bytes        bigint      NOT NULL,
    round        text        NOT NULL,
    delivered_at timestamptz NOT NULL,
    PRIMARY KEY (destination, file, sha256)
);

-- Match rows that left the hot table: where they are, and whether the rows are gone.
CREATE TABLE archives (
    path       text        NOT NULL PRIMARY KEY,
    month      text        NOT NULL,
    row_count  bigint      NOT NULL,
    sha256     text        NOT NULL,
    created_at timestamptz NOT NULL,
    removed_at timestamptz
);
