-- PATCH (or PUT) ?id=3&price=15.00 or &stock=20: what is not sent stays as it is.
UPDATE products
SET id = id
  {{if isSet "price"}}, price = {{sqlVal "price"}}{{end}}
  {{if isSet "stock"}}, stock = {{sqlVal "stock"}}{{end}}
WHERE id = {{sqlVal "id"}}
RETURNING id, name, price, stock
