-- Orders of a day, or between two.
SELECT id FROM orders
{{if and (isSet "from") (isSet "to")}}
  {{if eq .from .to}}
  WHERE placed_at::date = {{sqlVal "from"}}::date
  {{else}}
  WHERE placed_at BETWEEN {{sqlVal "from"}}::date AND {{sqlVal "to"}}::date
  {{end}}
{{end}}
