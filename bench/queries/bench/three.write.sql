INSERT INTO events (account, kind, note) VALUES ({{sqlVal "account"}}, {{sqlVal "kind"}}, {{sqlVal "note"}});
INSERT INTO events (account, kind, note) VALUES ({{sqlVal "account"}}, {{sqlVal "kind"}}, {{sqlVal "note"}});
INSERT INTO events (account, kind, note) VALUES ({{sqlVal "account"}}, {{sqlVal "kind"}}, {{sqlVal "note"}})
