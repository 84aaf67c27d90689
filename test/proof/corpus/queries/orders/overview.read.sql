-- From the view, by city or by lines.
SELECT * FROM order_overview
WHERE city = coalesce({{sqlVal "city"}}, city)
  {{if isSet "lines"}}AND line_count >= {{sqlVal "lines"}}::int{{end}}
ORDER BY placed_at DESC
