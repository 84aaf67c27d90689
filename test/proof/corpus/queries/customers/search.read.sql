-- Search by name, or by city.
SELECT id, name, email, city
FROM customers
WHERE
  {{if isSet "q"}}
    name ILIKE {{sqlVal "q"}} || '%'
  {{else if isSet "city"}}
    city = {{sqlVal "city"}}
  {{end}}
ORDER BY name
