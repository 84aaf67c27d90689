-- The customers of the tenant in the header; without one, those without a tenant.
{{$tenant := index .header "X-Tenant"}}
SELECT c.id, c.name
FROM customers c
{{if $tenant}}
JOIN tenants t ON t.id = c.tenant_id AND t.slug = {{sqlVal "header.X-Tenant"}}
{{else}}
WHERE c.tenant IS NULL
{{end}}
ORDER BY c.name
