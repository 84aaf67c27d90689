-- A column whose name is made of a parameter.
SELECT id, attributes -> 'name_{{defaultOrValue "language" "en"}}' AS name_{{defaultOrValue "language" "en"}}
FROM customers
