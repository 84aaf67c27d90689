-- Full-text search, the best first.
-- @param q text required maxlength=100
SELECT id, name, ts_headline('english', description, query) AS excerpt, ts_rank(search, query) AS rank
FROM products, websearch_to_tsquery('english', {{sqlVal "q"}}) AS query
WHERE search @@ query
  {{if eq .stock "yes"}}AND stock > 0{{end}}
ORDER BY rank DESC
LIMIT 20
