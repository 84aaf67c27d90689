-- The numbers of invoices; with `count` also how many there are.
SELECT number FROM billing.invoices
{{if isSet "count"}}; SELECT count(*) FROM billing.invoices{{end}}
