-- A part of the payload, by a path such as address,city.
-- @param path text[] required
SELECT id, payload #>> {{sqlVal "path"}} AS value
FROM events
WHERE payload #> {{sqlVal "path"}} IS NOT NULL
