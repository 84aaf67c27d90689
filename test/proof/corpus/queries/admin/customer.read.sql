-- A customer by number, which is part of the statement.
SELECT id, name FROM customers WHERE id = {{.id}}
