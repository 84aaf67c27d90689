-- Orders, of customers in a city.
SELECT o.id{{if isSet "city"}}, c.city{{end}}
FROM orders o
{{if isSet "city"}}WHERE c.city = {{sqlVal "city"}}{{end}}
