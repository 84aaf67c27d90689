-- Events; with `touch` they are marked.
{{if isSet "touch"}}
WITH marked AS (UPDATE events SET payload = payload || '{"seen": true}' RETURNING *)
SELECT id, kind FROM marked
{{else}}
SELECT id, kind FROM events
{{end}}
