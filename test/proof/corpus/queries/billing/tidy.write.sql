-- Resets the reminders of paid invoices.
UPDATE billing.invoices SET reminders = 0 WHERE paid_at IS NOT NULL;
{{if isSet "vacuum"}}
VACUUM billing.invoices;
{{end}}
SELECT count(*) AS invoices FROM billing.invoices
