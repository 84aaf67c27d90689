-- Orders in an order that the caller chooses.
{{- $dir := "ASC"}}{{if eq .dir "desc"}}{{$dir = "DESC"}}{{end}}
SELECT id, status, total, placed_at
FROM orders
ORDER BY
{{- if eq .sort "total"}} total {{$dir}}, id
{{- else if eq .sort "status"}} status {{$dir}}, placed_at {{$dir}}
{{- else}} id {{$dir}}{{end}}
