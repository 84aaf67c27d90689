-- Products in stock; every filter is optional.
-- @strict
-- @param category integer Also the categories below it.
-- @param tag text[] Products with one of these tags.
-- @param min_price numeric min=0
-- @param max_price numeric min=0
-- @param page integer min=1 = 1
-- @param size integer min=1 max=100 = 24
SELECT id, sku, name, price, tags
FROM products
WHERE stock > 0
  {{if isSet "category"}}AND category_id IN (SELECT category_ids({{sqlVal "category"}}::int)){{end}}
  {{if isSet "tag"}}AND tags && {{sqlVal "tag"}}::text[]{{end}}
  {{if and (isSet "min_price") (isSet "max_price")}}
    AND price BETWEEN {{sqlVal "min_price"}} AND {{sqlVal "max_price"}}
  {{else if isSet "min_price"}}
    AND price >= {{sqlVal "min_price"}}
  {{else if isSet "max_price"}}
    AND price <= {{sqlVal "max_price"}}
  {{end}}
{{with .sort}}ORDER BY {{if eq . "price"}}price{{else if eq . "newest"}}id DESC{{else}}name{{end}}{{else}}ORDER BY name{{end}}
{{limitOffset .page .size}}
