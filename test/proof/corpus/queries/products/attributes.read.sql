-- Products by their attributes.
-- @param having json
-- @param key text
SELECT id, name, attributes
  {{if isSet "key"}}, attributes ->> {{sqlVal "key"}} AS value{{end}}
FROM products
WHERE attributes @> coalesce({{sqlVal "having"}}::jsonb, '{}')
  {{if isSet "key"}}AND attributes ? {{sqlVal "key"}}{{end}}
