-- Products above a price, or above the average of their category.
SELECT p.id, p.name, p.price
FROM products p
{{if isSet "average"}}
CROSS JOIN LATERAL (SELECT avg(price) AS price FROM products s WHERE s.category_id = p.category_id) a
WHERE p.price > a.price
{{else}}
WHERE {{with .price}}p.price > '{{.}}'::numeric{{else}}true{{end}}
{{end}}
