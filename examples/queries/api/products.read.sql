-- Products by name, a page at a time.
-- @path /v1/products
-- @strict
-- @param category enum(tea, coffee, pots, sweets)[] Only products of these categories.
-- @param min_price numeric min=0
-- @param max_price numeric min=0
-- @param tag text Only products with this tag.
-- @param q text maxlength=50 Only products with this text in their names.
-- @param page integer min=1 = 1
-- @param size integer min=1 max=100 = 10
SELECT id, name, category, price, stock
FROM products
WHERE true
  {{if isSet "category"}}AND category = ANY ({{sqlVal "category"}}::text[]){{end}}
  {{if isSet "min_price"}}AND price >= {{sqlVal "min_price"}}::numeric{{end}}
  {{if isSet "max_price"}}AND price <= {{sqlVal "max_price"}}::numeric{{end}}
  {{if isSet "tag"}}AND {{sqlVal "tag"}} = ANY (tags){{end}}
  {{if isSet "q"}}AND position(lower({{sqlVal "q"}}) IN lower(name)) > 0{{end}}
ORDER BY name
{{limitOffset .page .size}}
