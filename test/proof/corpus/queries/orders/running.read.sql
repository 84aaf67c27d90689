-- Running totals, per customer or over all.
SELECT id, total,
  {{if isSet "customer"}}
  sum(total) OVER (PARTITION BY customer_id ORDER BY placed_at)
  {{else}}
  sum(total) OVER (ORDER BY placed_at
  {{end}} AS running
FROM orders
