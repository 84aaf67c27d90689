-- Sums in loops: the first three names, without the last one.
-- @param names enum(a, b, c, d, e)[] = a,b
SELECT
{{- range $i, $n := .names}}
  {{- if eq $n "e"}}{{continue}}{{end}}
  {{- if eq $i 3}}{{break}}{{end}}
  '{{$n}}' AS n{{$i}},
{{- end}} {{len .names}} AS names
