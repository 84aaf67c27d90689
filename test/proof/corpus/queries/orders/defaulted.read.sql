-- A default counts as sent from then on.
{{$by := defaultOrValue "by" "day"}}
SELECT {{if not (isSet "by")}}no_column{{else if eq $by "day" "week"}}date_trunc('{{$by}}', placed_at){{else}}currency{{end}} AS by, count(*)
FROM orders
GROUP BY 1
