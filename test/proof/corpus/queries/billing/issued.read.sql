-- Invoices that were issued on a day, which is part of the statement.
SELECT id, number FROM billing.invoices
WHERE issued_on = '{{.day}}'::date
