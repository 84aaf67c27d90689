-- Products by name, a page at a time. Every filter is optional: category, min_price, max_price, tag.
SELECT id, name, category, price, stock
FROM products
WHERE true
  {{if isSet "category"}}AND category = {{sqlVal "category"}}{{end}}
  {{if isSet "min_price"}}AND price >= {{sqlVal "min_price"}}::numeric{{end}}
  {{if isSet "max_price"}}AND price <= {{sqlVal "max_price"}}::numeric{{end}}
  {{if isSet "tag"}}AND {{sqlVal "tag"}} = ANY (tags){{end}}
ORDER BY name
{{limitOffset ._page ._page_size}}
