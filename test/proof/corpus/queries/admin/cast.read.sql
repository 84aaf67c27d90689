-- Whether a text is a value of a type.
SELECT {{sqlVal "value"}}::{{.type}} AS value
