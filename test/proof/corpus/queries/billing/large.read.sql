-- Orders with more than one invoice.
SELECT order_id, sum(amount) AS amount
FROM billing.invoices
{{if isSet "several"}}WHERE count(*) > 1{{end}}
GROUP BY order_id
