-- Customers by a column, as text, with a share of them.
SELECT {{defaultOrValue "by" "city"}} AS name, count(*) * {{defaultOrValue "factor" "1"}} AS customers
FROM customers
GROUP BY {{defaultOrValue "by" "city"}}
