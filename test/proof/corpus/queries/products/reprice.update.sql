-- Sets the price of products, or changes it by a number of percent.
-- @param id integer[] required
-- @param body.value numeric required
UPDATE products
SET price =
  {{if eq (index . "body.unit") "percent"}}
    price * (1 + {{sqlVal "body.value"}}::numeric / 100)
  {{else}}
    {{sqlVal "body.value"}}::text
  {{end}}
WHERE id = ANY ({{sqlVal "id"}}::int[])
RETURNING id, price
