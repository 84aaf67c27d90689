-- Sales by a column of the caller's choice.
-- @param by enum(status, currency, region) = status
SELECT {{printf "o.%s" .by}} AS name, sum(o.total) AS total
FROM orders o
GROUP BY 1
