-- POST ?customer=1&product=3&quantity=2: takes the goods from the stock, or changes nothing if there are too few.
WITH taken AS (
  UPDATE products
  SET stock = stock - {{sqlVal "quantity"}}
  WHERE id = {{sqlVal "product"}} AND stock >= {{sqlVal "quantity"}}
  RETURNING id, price
), placed AS (
  INSERT INTO orders (customer_id)
  SELECT {{sqlVal "customer"}}::integer FROM taken
  RETURNING id
)
INSERT INTO order_items (order_id, product_id, quantity, price)
SELECT placed.id, taken.id, {{sqlVal "quantity"}}::integer, taken.price
FROM placed, taken
RETURNING order_id, product_id, quantity, price
