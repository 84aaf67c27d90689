-- Events of a user, since a time.
SELECT id, kind FROM events
WHERE true
{{with .user}}
  AND payload ->> 'user' = {{sqlVal "user"}}
  {{if .since}}AND occurred_at >= {{sqlVal "since"}}::date{{end}}
{{end}}
