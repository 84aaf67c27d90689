-- The number of products, as a number.
-- @path /v1/products/count
-- @scalar
SELECT count(*) FROM products
