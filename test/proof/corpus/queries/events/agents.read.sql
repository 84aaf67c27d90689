-- Events by what the caller's client is called.
SELECT id, kind FROM events
WHERE true
  {{if isSet "header.X-Source"}}AND payload ->> 'source' = {{sqlVal "header.X-Source"}}{{else}}AND source IS NULL{{end}}
