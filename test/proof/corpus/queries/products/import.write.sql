-- Adds the products of an array.
-- @status 201
INSERT INTO products (sku, name, price)
SELECT sku, name, price FROM jsonb_to_recordset({{sqlVal "request.body"}}::jsonb) AS p (sku text, name text, price numeric)
{{if isSet "skip"}}ON CONFLICT (sku) DO NOTHING{{end}}
RETURNING id, sku
