-- Events, and with `log` a note of who took them.
{{if isSet "log"}}
INSERT INTO events (kind) VALUES ('export') RETURNING *
{{else}}
SELECT * FROM events
{{end}}
