-- Invoices by their state.
-- @param state enum(all, open, paid, overdue) = all
SELECT i.id, i.number, i.amount, i.due_on, c.name
FROM billing.invoices i
JOIN orders o ON o.id = i.order_id
JOIN customers c ON c.id = o.customer_id
WHERE
  {{if eq .state "open"}}i.paid_at IS NULL
  {{else if eq .state "paid"}}i.paid_at IS NOT NULL
  {{else if eq .state "overdue"}}i.paid_at IS NULL AND i.due_on < current_date
  {{else}}true{{end}}
ORDER BY i.number
