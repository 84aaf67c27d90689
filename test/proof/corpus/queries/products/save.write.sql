-- Adds a product, or with `overwrite` replaces one of the same number.
-- @param body.sku text required
-- @param body.name text required
-- @param body.price numeric required min=0
INSERT INTO products (sku, name, price)
VALUES ({{sqlVal "body.sku"}}, {{sqlVal "body.name"}}, {{sqlVal "body.price"}}::numeric)
ON CONFLICT (sku) DO {{if isSet "overwrite"}}UPDATE SET name = excluded.name, price = excluded.price{{else}}NOTHING{{end}}
RETURNING id, sku
