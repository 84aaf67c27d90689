-- Customers, every filter optional.
-- @param vip boolean
-- @param page integer min=1 = 1
-- @param size integer min=1 max=200 = 20
SELECT id, name, email, city, country, vip
FROM customers
WHERE true
  {{if isSet "q"}}AND name ILIKE '%' || {{sqlVal "q"}} || '%'{{end}}
  {{if isSet "city"}}AND city = {{sqlVal "city"}}{{end}}
  {{if isSet "vip"}}AND vip = {{sqlVal "vip"}}::boolean{{end}}
ORDER BY {{if eq .sort "city"}}city, name{{else if eq .sort "newest"}}created_at DESC{{else}}name{{end}}
{{limitOffset .page .size}}
