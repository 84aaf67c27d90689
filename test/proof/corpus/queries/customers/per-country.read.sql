-- How many customers there are in each country, or with `detail` in each city.
SELECT c.country,
  {{if isSet "detail"}}c.city,{{end}}
  count(*) AS customers
FROM customers c
GROUP BY c.country
ORDER BY customers DESC
