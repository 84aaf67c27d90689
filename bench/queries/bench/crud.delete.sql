DELETE FROM stock WHERE id = {{sqlVal "id"}}
