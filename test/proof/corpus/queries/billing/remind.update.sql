-- Counts a reminder, or several.
-- @param id bigint required
UPDATE billing.invoices
SET reminders = reminders + {{if isSet "body.step"}}{{.body.step}}{{else}}1{{end}}
WHERE id = {{sqlVal "id"}}::bigint
