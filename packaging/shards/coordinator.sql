-- Run on the server that the service connects to, after shard.sql on each shard. Partitions of a table lie on three other
-- servers; PostgreSQL plans, routes and asks them at the same time (postgres_fdw with asynchronous append). Without
-- use_remote_estimate: planning would ask every shard, and one that is down would fail the statements of all others.
CREATE EXTENSION postgres_fdw;

CREATE SERVER shard_0 FOREIGN DATA WRAPPER postgres_fdw
  OPTIONS (host 'shard-0.internal', port '5432', dbname 'shop', async_capable 'true', fetch_size '1000',
    connect_timeout '2', keep_connections 'on');
CREATE SERVER shard_1 FOREIGN DATA WRAPPER postgres_fdw
  OPTIONS (host 'shard-1.internal', port '5432', dbname 'shop', async_capable 'true', fetch_size '1000',
    connect_timeout '2', keep_connections 'on');
CREATE SERVER shard_2 FOREIGN DATA WRAPPER postgres_fdw
  OPTIONS (host 'shard-2.internal', port '5432', dbname 'shop', async_capable 'true', fetch_size '1000',
    connect_timeout '2', keep_connections 'on');

CREATE USER MAPPING FOR CURRENT_USER SERVER shard_0 OPTIONS (user 'api', password 'secret');
CREATE USER MAPPING FOR CURRENT_USER SERVER shard_1 OPTIONS (user 'api', password 'secret');
CREATE USER MAPPING FOR CURRENT_USER SERVER shard_2 OPTIONS (user 'api', password 'secret');

-- Identities come from here: each shard would count for itself.
CREATE SEQUENCE orders_id;

CREATE TABLE orders (
  customer_id bigint NOT NULL,
  id bigint NOT NULL DEFAULT nextval('orders_id'),
  placed_at timestamptz NOT NULL DEFAULT now(),
  total numeric(12, 2) NOT NULL
) PARTITION BY HASH (customer_id);

CREATE FOREIGN TABLE orders_0 PARTITION OF orders FOR VALUES WITH (MODULUS 3, REMAINDER 0)
  SERVER shard_0 OPTIONS (table_name 'orders');
CREATE FOREIGN TABLE orders_1 PARTITION OF orders FOR VALUES WITH (MODULUS 3, REMAINDER 1)
  SERVER shard_1 OPTIONS (table_name 'orders');
CREATE FOREIGN TABLE orders_2 PARTITION OF orders FOR VALUES WITH (MODULUS 3, REMAINDER 2)
  SERVER shard_2 OPTIONS (table_name 'orders');
