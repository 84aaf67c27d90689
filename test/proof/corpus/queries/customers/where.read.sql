-- Customers by a condition, as text.
SELECT id, name FROM customers
WHERE {{defaultOrValue "column" "city"}} {{defaultOrValue "operator" "="}} {{sqlVal "value"}}
