-- Products sorted by a column that the caller names: ?column=price, ?column=stock&descending
-- @param column enum(name, category, price, stock)
SELECT id, name, category, price, stock
FROM products
ORDER BY {{if isSet "column"}}{{ident "column"}}{{else}}name{{end}} {{if isSet "descending"}}DESC{{end}}, id
{{limitOffset ._page ._page_size}}
