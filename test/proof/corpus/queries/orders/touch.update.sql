-- Sets the totals again, and waits for a lock at most as long as told.
-- @param body.wait integer
{{if isSet "body.wait"}}
SET LOCAL lock_timeout = '5s';
{{end}}
UPDATE orders o SET total = coalesce((SELECT sum(line_total) FROM order_items i WHERE i.order_id = o.id), 0);

SELECT count(*) AS orders FROM orders
