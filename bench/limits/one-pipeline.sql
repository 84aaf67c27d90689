\set id1 random(1, :range)
\set id2 random(1, :range)
\set id3 random(1, :range)
\set id4 random(1, :range)
\set id5 random(1, :range)
\set id6 random(1, :range)
\set id7 random(1, :range)
\set id8 random(1, :range)
\startpipeline
SELECT json_agg(s) FROM (SELECT id, owner, email, city, balance, active, created FROM accounts WHERE id = :id1) s;
SELECT json_agg(s) FROM (SELECT id, owner, email, city, balance, active, created FROM accounts WHERE id = :id2) s;
SELECT json_agg(s) FROM (SELECT id, owner, email, city, balance, active, created FROM accounts WHERE id = :id3) s;
SELECT json_agg(s) FROM (SELECT id, owner, email, city, balance, active, created FROM accounts WHERE id = :id4) s;
SELECT json_agg(s) FROM (SELECT id, owner, email, city, balance, active, created FROM accounts WHERE id = :id5) s;
SELECT json_agg(s) FROM (SELECT id, owner, email, city, balance, active, created FROM accounts WHERE id = :id6) s;
SELECT json_agg(s) FROM (SELECT id, owner, email, city, balance, active, created FROM accounts WHERE id = :id7) s;
SELECT json_agg(s) FROM (SELECT id, owner, email, city, balance, active, created FROM accounts WHERE id = :id8) s;
\endpipeline
