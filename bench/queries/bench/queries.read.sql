SELECT w.id, w.number FROM pg_catalog.unnest({{sqlVal "ids"}}::integer[]) AS k (id) JOIN worlds w USING (id) ORDER BY w.id
