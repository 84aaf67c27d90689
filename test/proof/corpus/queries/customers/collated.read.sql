-- Customers in the order of a language.
SELECT id, name FROM customers
ORDER BY name COLLATE "{{defaultOrValue "locale" "C"}}"
