-- The caller's own record.
-- @one
SELECT id, name, email FROM customers
WHERE email = {{sqlVal "claims.email"}}
  {{if isSet "header.X-Tenant"}}AND tenant_id = (SELECT id FROM tenants WHERE slug = {{sqlVal "header.X-Tenant"}}){{end}}
