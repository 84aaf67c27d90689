-- Adds a product: {"name": "Hojicha", "category": "tea", "price": 9.5}
-- @path /v1/products
-- @param body.name text required maxlength=100
-- @param body.category enum(tea, coffee, pots, sweets) required
-- @param body.price numeric required min=0.01
-- @param body.stock integer min=0 = 0
-- @param body.tags text[]
-- @one
-- @status 201
-- @header Location: /v1/products/{id}
INSERT INTO products (name, category, price, stock, tags)
VALUES (
  {{sqlVal "body.name"}}, {{sqlVal "body.category"}}, {{sqlVal "body.price"}}::numeric,
  {{sqlVal "body.stock"}}::integer, coalesce({{sqlVal "body.tags"}}::text[], '{}')
)
RETURNING id, name, category, price, stock, tags
