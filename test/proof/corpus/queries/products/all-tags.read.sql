-- Products that have all of some tags.
-- @param tag text[]
SELECT id, name FROM products
{{if isSet "tag"}}WHERE {{range .tag}}'{{.}}' = ANY (tags) AND {{end}}{{end}}
ORDER BY id
