-- Customers by any of some columns, in a loop; one of them is not a column.
SELECT id, name FROM customers
WHERE true
{{- range $column := split "name city zip" " "}}
  {{- if isSet $column}} AND {{$column}} = {{sqlVal $column}}{{end}}
{{- end}}
ORDER BY id
