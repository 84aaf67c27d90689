-- How many events of each kind there were, in a column each.
-- @param kind enum(login, logout, purchase)[] = login,purchase
SELECT customer_id
{{- range $i, $k := .kind}}, count(*) FILTER (WHERE kind = '{{$k}}') AS {{$k}}{{end}}
FROM events
GROUP BY customer_id
