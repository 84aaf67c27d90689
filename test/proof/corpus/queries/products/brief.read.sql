-- Products by name, on demand with their prices.
SELECT id, name,
  {{if isSet "price"}}price, gross_price{{end}}
FROM products
ORDER BY name
