-- PATCH (or PUT) ?id=3&price=15.00 or &stock=20: parameters that are not sent change nothing.
UPDATE products
SET id = id
  {{if isSet "price"}}, price = {{sqlVal "price"}}{{end}}
  {{if isSet "stock"}}, stock = {{sqlVal "stock"}}{{end}}
WHERE id = {{sqlVal "id"}}
RETURNING id, name, price, stock
