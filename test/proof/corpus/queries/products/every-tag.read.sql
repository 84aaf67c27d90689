-- Products that have all of some tags.
-- @param tag text[]
SELECT id, name FROM products
WHERE {{range .tag}}'{{.}}' = ANY (tags) AND {{end}}true
ORDER BY id
