-- Records the events of an array, at their times or now.
INSERT INTO events (kind, payload{{if isSet "timed"}}, occurred_at{{end}})
SELECT e ->> 'kind', e -> 'payload'{{if isSet "timed"}}, (e ->> 'at')::timestamptz{{end}}
FROM jsonb_array_elements({{sqlVal "request.body"}}::jsonb) AS e
