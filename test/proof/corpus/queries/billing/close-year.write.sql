-- Closes a year.
-- @param body.year integer required
DO $$
BEGIN
  UPDATE billing.invoices SET reminders = 0 WHERE paid_at IS NOT NULL;
END
$$
