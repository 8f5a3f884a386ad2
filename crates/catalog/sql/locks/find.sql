SELECT holder, host, boot_id, pid, pid_started, since, expires_at, fence FROM locks WHERE name = $1
