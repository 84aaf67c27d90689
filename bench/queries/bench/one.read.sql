SELECT id, owner, email, city, balance, active, created FROM accounts WHERE id = {{sqlVal "id"}}
