-- Products by the beginning of their number, or a part of their name.
SELECT id, sku, name FROM products
WHERE
  {{if isSet "sku"}}
    sku LIKE {{sqlVal "sku"}} || '%'
  {{else if isSet "name"}}
    name ILIKE '%{{sqlVal "name"}}%'
  {{else}}
    true
  {{end}}
