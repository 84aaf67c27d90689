-- Adds a customer, with a city where it is known.
-- @param body.name text required
-- @param body.email text required
INSERT INTO customers (name, email, city)
VALUES ({{sqlVal "body.name"}}, {{sqlVal "body.email"}}, {{if isSet "body.city"}}{{sqlVal "body.city"}}{{end}})
RETURNING id
