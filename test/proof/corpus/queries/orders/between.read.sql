-- Orders between two days.
SELECT id, status, placed_at
FROM orders
WHERE
  {{if isSet "from"}}placed_at >= {{sqlVal "from"}}::date AND{{end}}
  {{if isSet "to"}}placed_at < {{sqlVal "to"}}::date{{end}}
ORDER BY placed_at
