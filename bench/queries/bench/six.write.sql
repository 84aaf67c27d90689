INSERT INTO events (account, kind, note, price, place, at)
VALUES ({{sqlVal "account"}}, {{sqlVal "kind"}}, {{sqlVal "note"}}, {{sqlVal "price"}}, {{sqlVal "place"}}, {{sqlVal "at"}})
