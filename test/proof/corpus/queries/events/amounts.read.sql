-- Events with an amount.
SELECT id, payload -> 'amount' AS amount FROM events
WHERE payload ? 'amount'
  {{if isSet "min"}}AND payload -> 'amount' >= {{sqlVal "min"}}::int{{end}}
  {{if isSet "max"}}AND (payload ->> 'amount')::int <= {{sqlVal "max"}}::int{{end}}
