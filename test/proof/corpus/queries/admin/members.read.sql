-- Customers of a tenant, by roles in the attributes.
SELECT c.id, c.name
FROM customers c JOIN tenants t ON t.id = c.tenant_id
WHERE t.slug = {{sqlVal "claims.tenant"}}
  {{if isSet "role"}}AND c.attributes ->> 'role' IN {{sqlList "role"}}{{end}}
  {{if isSet "id"}}AND c.id IN {{sqlList "claims.customers"}}{{end}}
