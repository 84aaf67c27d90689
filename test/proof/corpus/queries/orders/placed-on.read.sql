-- Orders in a form of the day that the caller chooses, unless it is that of the table.
SELECT {{if and .format (ne .format "iso")}}to_char(placed_at, '{{.format}}'){{else}}placed_on{{end}} AS day FROM orders
