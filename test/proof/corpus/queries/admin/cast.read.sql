-- Whether a text is a value of a type.
SELECT '{{.value}}'::{{.type}} AS value
