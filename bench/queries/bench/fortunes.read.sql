SELECT id, message
FROM (SELECT id, message FROM fortunes UNION ALL SELECT 0, 'Additional fortune added at request time.') f
ORDER BY message COLLATE "C"
