SELECT id, name, category, price, quantity, active FROM items WHERE id = {{sqlVal "id"}}
