-- Customers; with `country` only those of a country, by its name.
SELECT c.id, name, c.city
FROM customers c
{{if isSet "country"}}JOIN countries k ON k.code = c.country{{end}}
WHERE c.vip
  {{if isSet "country"}}AND k.name = {{sqlVal "country"}}{{end}}
ORDER BY c.id
