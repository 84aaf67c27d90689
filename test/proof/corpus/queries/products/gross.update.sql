-- Sets a price, net or gross.
-- @param id integer required
UPDATE products
SET {{if isSet "body.gross"}}gross_price = {{sqlVal "body.gross"}}::numeric{{else}}price = {{sqlVal "body.net"}}::numeric{{end}}
WHERE id = {{sqlVal "id"}}::int
