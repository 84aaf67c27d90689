-- The sum of all invoices; with `count` also how many there are.
-- @scalar
SELECT sum(amount){{if isSet "count"}}, count(*){{end}} FROM billing.invoices
