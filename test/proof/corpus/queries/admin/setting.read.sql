-- The value of a setting, or its size.
-- @param key text required
-- @scalar
SELECT {{if isSet "size"}}pg_column_size(value){{else}}value{{end}} FROM settings WHERE key = {{sqlVal "key"}}
