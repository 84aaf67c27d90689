-- Takes the settings of an array over; with `prune` removes others.
-- @param prune boolean = false
MERGE INTO settings s
USING (SELECT * FROM jsonb_to_recordset({{sqlVal "request.body"}}::jsonb) AS r (key text, value jsonb)) n ON s.key = n.key
WHEN MATCHED THEN UPDATE SET value = n.value
WHEN NOT MATCHED THEN INSERT (key, value) VALUES (n.key, n.value);

{{if eq .prune "true"}}
DELETE FROM settings WHERE key NOT IN (SELECT r.key FROM jsonb_to_recordset({{sqlVal "request.body"}}::jsonb) AS r (key text));
{{end}}
SELECT count(*) AS settings FROM settings
