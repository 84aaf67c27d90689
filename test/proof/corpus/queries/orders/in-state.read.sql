-- Orders that are open or done.
-- @param state enum(open, done) = open
SELECT id FROM orders
WHERE status IN ({{if eq .state "done"}}'shipped', 'canceled'{{else}}'new', 'paid'{{end}})
