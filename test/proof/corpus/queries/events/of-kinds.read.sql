-- Events of some kinds: ?kind=login&kind=logout
SELECT id, kind FROM events
{{if isSet "kind"}}WHERE kind = ANY ({{sqlList "kind"}}){{end}}
