DELETE FROM robots WHERE fetched_at <= $1
