-- Orders above the average, of all or of the paid ones.
{{if isSet "paid"}}WITH considered AS (SELECT * FROM orders WHERE status = 'paid'){{end}}
SELECT id, total FROM {{if isSet "paid"}}considered{{else}}orders{{end}}
WHERE total > (SELECT avg(total) FROM {{if isSet "paid"}}considered{{else}}orders{{end}})
