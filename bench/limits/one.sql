\set id random(1, :range)
SELECT json_agg(s) FROM (SELECT id, owner, email, city, balance, active, created FROM accounts WHERE id = :id) s;
