-- POST ?name=Hojicha&category=tea&price=9.50 (stock is optional)
INSERT INTO products (name, category, price, stock)
VALUES ({{sqlVal "name"}}, {{sqlVal "category"}}, {{sqlVal "price"}}, {{if isSet "stock"}}{{sqlVal "stock"}}{{else}}0{{end}})
RETURNING id, name, category, price, stock
