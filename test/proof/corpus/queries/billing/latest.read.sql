-- The latest invoice, with its address.
-- @one
-- @header Link: </billing/{number}>
SELECT {{if isSet "short"}}id, amount{{else}}id, number, amount{{end}}
FROM billing.invoices ORDER BY id DESC LIMIT 1
