-- Payments by method.
-- @param method enum(card, transfer, cash)[]
SELECT method, sum(amount) AS amount
FROM billing.payments
{{if isSet "method"}}WHERE method IN ({{range $i, $m := .method}}{{if $i}}, {{end}}'{{$m}}'{{end}}){{end}}
GROUP BY method
