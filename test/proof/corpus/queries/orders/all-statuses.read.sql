-- The statuses of both tables.
SELECT status FROM orders
{{if isSet "archived"}}UNION SELECT note FROM orders{{end}}
ORDER BY 1
