-- Orders in a status, or with `not` in any other one.
SELECT id, status FROM orders
WHERE
  {{if and (isSet "status") (isSet "not")}}
    status <> {{sqlVal "status"}}::text
  {{else if isSet "status"}}
    status = {{sqlVal "status"}}::order_status
  {{else}}
    true
  {{end}}
