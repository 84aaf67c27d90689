-- Orders of a customer or of a city, and what happens with both.
{{$both := and (isSet "customer") (isSet "city")}}
SELECT o.id FROM orders o
{{if or $both (isSet "city")}}JOIN customers c ON c.id = o.customer_id{{end}}
{{if $both}}WHERE c.city = {{sqlVal "city"}} OR customer = {{sqlVal "customer"}}::bigint
{{else if isSet "city"}}WHERE c.city = {{sqlVal "city"}}
{{else if isSet "customer"}}WHERE o.customer_id = {{sqlVal "customer"}}::bigint{{end}}
