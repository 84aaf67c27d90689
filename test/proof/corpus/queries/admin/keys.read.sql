-- Keys of settings, sorted by what is sent.
{{$order := or .order "key"}}
SELECT key FROM settings
ORDER BY {{if eq $order "key"}}key{{else if eq $order "time"}}updated_at{{else}}changed_by{{end}}
