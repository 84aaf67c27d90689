-- Events in JSON, with a label.
SELECT '{"label": "{{defaultOrValue "label" "none"}}"}'::jsonb || payload AS payload,
  E'{{defaultOrValue "prefix" "e"}}\t' || id AS key
FROM events
