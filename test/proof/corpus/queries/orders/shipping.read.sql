-- When orders were shipped; with `label` in words.
SELECT id,
  {{if isSet "label"}}coalesce(shipped_at, 'not yet'){{else}}shipped_at{{end}} AS shipped
FROM orders
