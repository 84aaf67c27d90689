-- Adds a product, or replaces one of the same number.
-- @param body.sku text required
-- @param body.name text required
-- @param body.price numeric required
INSERT INTO products (sku, name, price)
VALUES ({{sqlVal "body.sku"}}, {{sqlVal "body.name"}}, {{sqlVal "body.price"}}::numeric)
{{if eq (index . "body.mode") "update"}}
ON CONFLICT DO UPDATE SET name = excluded.name, price = excluded.price
{{else if eq (index . "body.mode") "ignore"}}
ON CONFLICT DO NOTHING
{{end}}
RETURNING id
