INSERT INTO events (account, kind, note, price, place, at)
VALUES ({{sqlVal "body.account"}}, {{sqlVal "body.kind"}}, {{sqlVal "body.note"}}, {{sqlVal "body.price"}}, {{sqlVal "body.place"}}, {{sqlVal "body.at"}})
