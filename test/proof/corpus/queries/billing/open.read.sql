-- Open invoices, with an amount that is reduced.
SELECT id, number,
  {{if isSet "percent"}}
  discounted(amount, {{sqlVal "percent"}}::int)
  {{else if isSet "half"}}
  discounted(amount)
  {{else}}
  amount
  {{end}} AS amount
FROM billing.open_invoices
