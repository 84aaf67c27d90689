-- How many products have each value of some columns.
-- @param facets enum(category_id, stock, discontinued_on)[] = category_id
{{range $i, $facet := .facets}}
{{if $i}}UNION ALL{{end}}
SELECT '{{$facet}}' AS facet, {{$facet}}::text AS value, count(*) AS products FROM products GROUP BY {{$facet}}
{{end}}
ORDER BY facet, products DESC
