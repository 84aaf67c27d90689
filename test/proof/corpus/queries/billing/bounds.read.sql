-- Invoices in a range of amounts: ?amount=10&amount=20
-- @param amount numeric[]
SELECT id, number, amount FROM billing.invoices
{{if isSet "amount"}}WHERE amount BETWEEN {{index .amount 0}} AND {{index .amount 1}}{{end}}
