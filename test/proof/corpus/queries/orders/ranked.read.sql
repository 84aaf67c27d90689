-- Orders with their rank by total, within all or each customer.
-- @param within enum(all, customer, month) = all
SELECT id, customer_id, total,
  rank() OVER ({{if eq .within "customer"}}PARTITION BY customer_id {{else if eq .within "month"}}PARTITION BY date_trunc('month', placed_at) {{end}}ORDER BY total DESC) AS rank,
  sum(total) OVER (ORDER BY placed_at ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS week
FROM orders
