-- Events with a label in JSON, and a text of it.
SELECT jsonb_build_object('label', '{{defaultOrValue "label" "none"}}', 'kind', kind) AS label,
  concat(kind, '-', '{{defaultOrValue "suffix" "x"}}') AS name,
  '{{defaultOrValue "label" "none"}}' IS NOT NULL AS labelled
FROM events
