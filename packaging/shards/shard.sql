-- Run on each shard, as the user of the foreign servers.
CREATE TABLE orders (
  customer_id bigint NOT NULL,
  id bigint NOT NULL,
  placed_at timestamptz NOT NULL DEFAULT now(),
  total numeric(12, 2) NOT NULL CHECK (total >= 0),
  PRIMARY KEY (customer_id, id)
);
