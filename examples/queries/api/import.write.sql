-- Adds the products of a JSON array, all or none: [{"name": "Hojicha", "category": "tea", "price": 9.5}]
-- @path /v1/products/import
-- @status 201
INSERT INTO products (name, category, price, stock)
SELECT name, category, price, coalesce(stock, 0)
FROM jsonb_to_recordset({{sqlVal "request.body"}}::jsonb) AS p (name text, category text, price numeric, stock integer)
RETURNING id, name
