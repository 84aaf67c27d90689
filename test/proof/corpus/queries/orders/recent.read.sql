-- The orders of the last days.
SELECT id, status, placed_at
FROM orders
WHERE placed_at > now() - interval '{{defaultOrValue "days" "7"}} days'
  AND currency = '{{defaultOrValue "currency" "EUR"}}'
ORDER BY placed_at DESC
