-- Prices; with `label` in words where there is no stock.
SELECT id,
  CASE WHEN stock > 0 THEN price ELSE {{if isSet "label"}}'sold out'{{else}}NULL{{end}} END AS price
FROM products
