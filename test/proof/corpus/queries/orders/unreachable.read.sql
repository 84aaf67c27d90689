-- What is wrong here cannot be reached: the conditions contradict each other.
-- @param id bigint required
-- @param state enum(open, done) = open
-- @param limit integer min=1 = 10
SELECT id FROM orders
WHERE {{if isSet "id"}}id = {{sqlVal "id"}}::bigint{{end}}
  {{if isSet "paid"}}{{if not (isSet "paid")}}AND no_column{{end}}AND status = 'paid'{{end}}
  {{if eq .state "lost"}}AND lost{{end}}
LIMIT {{if .limit}}{{sqlVal "limit"}}::int{{end}}
