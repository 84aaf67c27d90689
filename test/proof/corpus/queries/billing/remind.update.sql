-- Counts a reminder.
-- @param id bigint required
-- @one
UPDATE billing.invoices SET reminders = reminders + 1
WHERE id = {{sqlVal "id"}}::bigint
{{if not (isSet "quiet")}}RETURNING id, reminders{{end}}
