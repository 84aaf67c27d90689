-- Removes what identifies a customer, and with `events` their events too.
-- @param id bigint required
UPDATE customers SET name = 'anonymous', email = id || '@example.com', city = NULL
WHERE id = {{sqlVal "id"}}::bigint;

{{if isSet "events"}}
UPDATE events SET payload = payload - 'address', customer = NULL
WHERE customer_id = {{sqlVal "id"}}::bigint;
{{end}}

SELECT {{sqlVal "id"}}::bigint AS id
