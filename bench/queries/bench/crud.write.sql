INSERT INTO stock (id, quantity) VALUES ({{sqlVal "id"}}, {{sqlVal "quantity"}})
ON CONFLICT (id) DO UPDATE SET quantity = excluded.quantity
