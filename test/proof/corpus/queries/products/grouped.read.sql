-- How many products have each value of some columns, together.
-- @param by enum(category_id, stock, brand)[] = category_id
SELECT {{range .by}}{{.}}, {{end}}count(*) AS products
FROM products
GROUP BY {{range $i, $column := .by}}{{if $i}}, {{end}}{{$column}}{{end}}
