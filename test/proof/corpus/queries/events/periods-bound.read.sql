-- Events, or with `unit` how many there are per period.
{{if isSet "unit"}}
SELECT date_trunc({{sqlVal "unit"}}, occurred_at) AS period, count(*) AS events
FROM events
GROUP BY date_trunc({{sqlVal "unit"}}, occurred_at)
{{else}}
SELECT occurred_at AS period, 1 AS events FROM events
{{end}}
