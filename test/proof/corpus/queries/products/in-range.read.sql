-- Products in a range of prices.
-- @param min numeric
-- @param max numeric
SELECT id, name, price FROM products
WHERE true
  {{if isSet "min"}}AND price >= {{sqlVal "min"}}{{end}}
  {{if isSet "max"}}AND ({{sqlVal "max"}} IS NULL OR price <= {{sqlVal "max"}}){{end}}
