-- Records the tags of a visit, and who sent them.
INSERT INTO events (kind, payload)
SELECT 'tag', jsonb_build_object('tag', tag, 'agent', {{sqlVal "header.User-Agent"}}::text)
FROM unnest({{sqlVal "body.tags"}}::text[]) AS tag
{{if isSet "body.only"}}WHERE tag IN {{sqlList "body.only"}}{{end}}
