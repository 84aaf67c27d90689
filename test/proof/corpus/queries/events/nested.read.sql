-- Events by customer, kind and time.
SELECT id, kind FROM events
WHERE true
{{if isSet "customer"}}
  AND customer_id = {{sqlVal "customer"}}::bigint
  {{if eq .kind "purchase"}}
    AND kind = 'purchase'
    {{if isSet "min"}}
      AND (payload ->> 'amount')::numeric >= {{sqlVal "min"}}::numeric
    {{else}}
      AND payload.amount IS NOT NULL
    {{end}}
  {{end}}
{{end}}
ORDER BY id
