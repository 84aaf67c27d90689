SELECT 1 AS done FROM pg_sleep(0.2)
