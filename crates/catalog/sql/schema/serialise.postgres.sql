-- PostgreSQL lets many write at once: this lock makes migrations wait for each other, and ends with the transaction.
SELECT pg_advisory_xact_lock(hashtext('canvass'), hashtext('migrate')) IS NULL AS waited
