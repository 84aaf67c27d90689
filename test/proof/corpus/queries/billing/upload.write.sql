-- Takes payments through a table that exists for this request only.
CREATE TEMP TABLE upload (invoice bigint, amount numeric) ON COMMIT DROP;

INSERT INTO upload SELECT * FROM jsonb_to_recordset({{sqlVal "request.body"}}::jsonb) AS r (invoice bigint, amount numeric);

INSERT INTO billing.payments (invoice_id, amount, method) SELECT invoice, amount, 'transfer' FROM upload
