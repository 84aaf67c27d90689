\set from random(1, :range)
SELECT json_agg(s) FROM (SELECT id, owner, email, city, balance, active, created FROM accounts WHERE id >= :from ORDER BY id LIMIT 100) s;
