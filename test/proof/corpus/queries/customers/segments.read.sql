-- Customers in a segment of the attributes, none of them declared.
SELECT id, name
FROM customers
{{- $where := "WHERE"}}
{{- if isSet "segment"}} {{$where}} attributes ->> 'segment' = {{sqlVal "segment"}}{{$where := "AND"}}{{end}}
{{- if isSet "since"}} {{$where}} created_at >= {{sqlVal "since"}}::date{{$where := "AND"}}{{end}}
ORDER BY id
