-- The columns that the caller chooses, for a spreadsheet.
-- @param columns enum(id, name, email)[] = id
SELECT {{range .columns}}c.{{.}} {{end}}
FROM customers c
ORDER BY c.id
