-- How many products there are in each band of prices.
SELECT
{{- range $i, $from := split "0 10 50 100" " "}}
  {{- if $i}},{{end}} count(*) FILTER (WHERE price >= {{$from}}) AS from_{{$from}}
{{- end}}
FROM products
{{if isSet "category"}}WHERE category_id = {{sqlVal "category"}}::int{{end}}
