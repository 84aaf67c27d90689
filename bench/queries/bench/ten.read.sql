SELECT id, owner, email, city, balance, active, created FROM accounts
WHERE id >= {{sqlVal "from"}} AND id < {{sqlVal "to"}} AND owner <> {{sqlVal "owner"}}
{{if isSet "min"}} AND balance >= {{sqlVal "min"}}{{end}}
{{if isSet "max"}} AND balance <= {{sqlVal "max"}}{{end}}
{{if isSet "city"}} AND city <> {{sqlVal "city"}}{{end}}
{{if isSet "active"}} AND active = {{sqlVal "active"}}{{end}}
{{if isSet "since"}} AND created >= {{sqlVal "since"}}{{end}}
ORDER BY id LIMIT {{sqlVal "limit"}} OFFSET {{sqlVal "offset"}}
