-- Products, a page at a time. Every filter is optional: category, min_price, max_price, tag; _page and _page_size.
SELECT id, name, category, price, stock
FROM products
WHERE true
  {{if isSet "category"}}AND category = {{sqlVal "category"}}{{end}}
  {{if isSet "min_price"}}AND price >= {{sqlVal "min_price"}}{{end}}
  {{if isSet "max_price"}}AND price <= {{sqlVal "max_price"}}{{end}}
  {{if isSet "tag"}}AND {{sqlVal "tag"}} = ANY (tags){{end}}
ORDER BY name
{{limitOffset ._page ._page_size}}
