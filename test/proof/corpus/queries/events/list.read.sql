-- Events of a time, newest first.
-- @param from date = 2025-01-01
-- @param to date
-- @param kind text
SELECT id, kind, occurred_at, payload ->> 'source' AS source
FROM events
WHERE occurred_at >= {{sqlVal "from"}}::date
  {{with .to}}AND occurred_at < '{{.}}'::date{{end}}
  {{if and .kind (ne .kind "all")}}AND kind = {{sqlVal "kind"}}{{end}}
ORDER BY occurred_at DESC
{{limitOffset ._page ._page_size}}
