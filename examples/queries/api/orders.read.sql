-- Orders, the newest first: a page of them, and how many there are.
-- @path /v1/orders
-- @strict
-- @param status enum(open, paid, sent, cancelled)[] Only orders in one of these states.
-- @param page integer min=1 = 1
-- @param size integer min=1 max=100 = 10
-- @one
WITH found AS (
  SELECT id, customer_id, status FROM orders
  WHERE true {{if isSet "status"}}AND status = ANY ({{sqlVal "status"}}::text[]){{end}}
)
SELECT
  (SELECT count(*) FROM found) AS total,
  (SELECT coalesce(json_agg(page), '[]') FROM (
    SELECT * FROM found ORDER BY id DESC {{limitOffset .page .size}}
  ) page) AS orders
