-- Invoices, some of them.
SELECT id, number FROM billing.invoices
ORDER BY id
{{if isSet "limit"}}LIMIT {{sqlVal "limit"}}::int{{end}}{{if isSet "offset"}}OFFSET {{sqlVal "offset"}}::int{{end}}
