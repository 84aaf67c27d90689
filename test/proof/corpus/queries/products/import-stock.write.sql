-- Adds the products of an array, on demand with their stock.
INSERT INTO products (sku, name, price{{if isSet "stock"}}, stock{{end}})
SELECT sku, name, price
  {{if isSet "stock"}}, p.stock{{end}}
FROM jsonb_to_recordset({{sqlVal "request.body"}}::jsonb) AS p (sku text, name text, price numeric)
RETURNING id, sku
