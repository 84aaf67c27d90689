-- The number of rows of a table.
-- @scalar
SELECT count(*) FROM {{ident "table"}}
