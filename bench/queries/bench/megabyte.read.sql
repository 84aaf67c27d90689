SELECT id, body FROM documents WHERE id >= {{sqlVal "from"}} ORDER BY id LIMIT 100
