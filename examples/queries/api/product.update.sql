-- Changes the members that are sent: {"price": 15}
-- @path PATCH /v1/products/{id}
-- @param id integer required
-- @param body.name text maxlength=100
-- @param body.price numeric min=0.01
-- @param body.stock integer min=0
-- @one
UPDATE products
SET name = coalesce({{sqlVal "body.name"}}, name),
    price = coalesce({{sqlVal "body.price"}}::numeric, price),
    stock = coalesce({{sqlVal "body.stock"}}::integer, stock)
WHERE id = {{sqlVal "id"}}::integer
RETURNING id, name, category, price, stock, tags
