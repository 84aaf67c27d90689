-- Settings that changed on a day, or by somebody.
SELECT key, value FROM settings
WHERE
  {{if ne .by "day"}}
    (updated_by = {{sqlVal "who"}}
  {{else}}
    (updated_at::date = {{sqlVal "day"}}::date)
  {{end}}
