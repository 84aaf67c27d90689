-- Removes events before a day, of one kind or all.
-- @param before date required
DELETE FROM events
WHERE occurred_at < {{sqlVal "before"}}::date
  {{if isSet "kind"}}AND kind = {{sqlVal "kind"}}{{end}}
