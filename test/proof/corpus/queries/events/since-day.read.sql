-- Events since a time, in the words of SQL.
SELECT id, kind, extract('{{if isSet "hour"}}hour{{else}}day{{end}}' FROM occurred_at) AS part
FROM events
WHERE occurred_at >= timestamp '{{defaultOrValue "since" "2025-01-01"}}'
  AND occurred_at > now() - interval '{{defaultOrValue "days" "7"}} days'
  AND kind IN ('{{defaultOrValue "kind" "login"}}', 'logout')
