-- Sales, and with `compare` those of the days before.
WITH
  {{if isSet "since"}}earlier AS (SELECT currency, sum(total) AS total FROM orders WHERE placed_at < {{sqlVal "since"}}::date GROUP BY currency),{{end}}
  sales AS (SELECT currency, sum(total) AS total FROM orders GROUP BY currency)
SELECT s.currency, s.total
  {{if isSet "compare"}}, (SELECT e.total FROM earlier e WHERE e.currency = s.currency) AS before{{end}}
FROM sales s
