-- The sums of invoices, on demand by a period.
{{define "period"}}{{if eq .by "year"}}'year'{{else}}'month'{{end}}{{end -}}
SELECT
  {{if isSet "by"}}date_trunc({{template "period"}}, issued_on) AS period,{{end}}
  sum(amount) AS amount
FROM billing.invoices
{{if isSet "by"}}GROUP BY 1{{end}}
