-- Adds a customer.
-- @param body.name text required maxlength=200
-- @param body.email text required
-- @param body.country text maxlength=2
-- @param body.attributes json
-- @one
-- @status 201
-- @header Location: /customers/{id}
INSERT INTO customers (name, email, country, attributes)
VALUES ({{sqlVal "body.name"}}, {{sqlVal "body.email"}}, {{sqlVal "body.country"}},
        coalesce({{sqlVal "body.attributes"}}::jsonb, '{}'))
RETURNING id, name
