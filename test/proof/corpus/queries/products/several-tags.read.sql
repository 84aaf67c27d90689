-- Products that have one tag, or several.
-- @param tag text[] required
SELECT id, name FROM products
WHERE {{if gt (len .tag) 1}}tags @> {{sqlVal "tag"}}::jsonb{{else}}{{sqlVal "tag"}}::text[] <@ tags{{end}}
