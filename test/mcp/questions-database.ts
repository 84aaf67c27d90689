/**
 * The database of the questions in questions.long.test.ts: a shop (`public`) and its customer relations (`crm`), with
 * about 260,000 rows. Every value follows from the number of its row.
 */

const TYPES = `
  CREATE SCHEMA crm;
  CREATE TYPE order_status AS ENUM ('open', 'paid', 'shipped', 'delivered', 'cancelled');
  CREATE TYPE payment_method AS ENUM ('card', 'transfer', 'wallet');
  CREATE TYPE crm.priority AS ENUM ('low', 'normal', 'high', 'urgent');
  CREATE TYPE crm.stage AS ENUM ('new', 'contacted', 'won', 'lost');`;

const SHOP = `
  CREATE TABLE country (code char(2) PRIMARY KEY, name text NOT NULL, currency text NOT NULL);
  CREATE TABLE category (id int PRIMARY KEY, parent_id int REFERENCES category, name text NOT NULL UNIQUE);
  CREATE TABLE supplier (id int PRIMARY KEY, name text NOT NULL, country char(2) REFERENCES country);
  CREATE TABLE product (id int PRIMARY KEY, sku text NOT NULL UNIQUE, name text NOT NULL,
    category_id int NOT NULL REFERENCES category, price numeric(10,2) NOT NULL CHECK (price > 0), weight_kg numeric(6,2),
    attributes jsonb NOT NULL, description text, discontinued boolean NOT NULL DEFAULT false);
  CREATE TABLE product_supplier (product_id int REFERENCES product, supplier_id int REFERENCES supplier, cost numeric(10,2),
    PRIMARY KEY (product_id, supplier_id));
  CREATE TABLE price_history (product_id int REFERENCES product, valid_from date, price numeric(10,2),
    PRIMARY KEY (product_id, valid_from));
  CREATE TABLE customer (id int PRIMARY KEY, email text NOT NULL UNIQUE, name text NOT NULL, country char(2) REFERENCES country,
    preferences jsonb NOT NULL, birthday date, referred_by int REFERENCES customer, created_at timestamptz NOT NULL);
  CREATE TABLE address (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customer, street text, city text NOT NULL);
  CREATE TABLE orders (id bigint PRIMARY KEY, customer_id int NOT NULL REFERENCES customer, status order_status NOT NULL,
    channel text NOT NULL CHECK (channel IN ('web', 'app', 'phone', 'store')), placed_at timestamptz NOT NULL,
    shipping_address_id int REFERENCES address, billing_address_id int REFERENCES address,
    total numeric(12,2) NOT NULL, tags text[] NOT NULL, note text);
  CREATE TABLE order_item (order_id bigint REFERENCES orders, line int, product_id int NOT NULL REFERENCES product,
    quantity int NOT NULL CHECK (quantity > 0), unit_price numeric(10,2) NOT NULL, PRIMARY KEY (order_id, line));
  CREATE TABLE payment (id bigint PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders, method payment_method NOT NULL,
    amount numeric(12,2) NOT NULL, paid_at timestamptz NOT NULL);
  CREATE TABLE reversal (id int PRIMARY KEY, payment_id bigint REFERENCES payment, amount numeric(12,2) NOT NULL, reason text);
  CREATE TABLE carrier (id int PRIMARY KEY, name text NOT NULL);
  CREATE TABLE shipment (id int PRIMARY KEY, order_id bigint REFERENCES orders, carrier_id int NOT NULL REFERENCES carrier,
    sent_at timestamptz NOT NULL, delivered_at timestamptz);
  CREATE TABLE warehouse (id int PRIMARY KEY, name text NOT NULL, country char(2) REFERENCES country);
  CREATE TABLE stock (warehouse_id int REFERENCES warehouse, product_id int REFERENCES product, quantity int NOT NULL,
    reorder_level int NOT NULL, PRIMARY KEY (warehouse_id, product_id));
  CREATE TABLE review (id int PRIMARY KEY, product_id int NOT NULL REFERENCES product, customer_id int REFERENCES customer,
    stars int NOT NULL CHECK (stars BETWEEN 1 AND 5), body text);
  CREATE TABLE coupon (code text PRIMARY KEY, percent int NOT NULL, ends_on date);
  CREATE TABLE coupon_use (coupon text REFERENCES coupon, order_id bigint REFERENCES orders, PRIMARY KEY (coupon, order_id));
  CREATE TABLE cart (id int PRIMARY KEY, customer_id int REFERENCES customer, changed_at timestamptz);
  CREATE TABLE cart_item (cart_id int REFERENCES cart, product_id int REFERENCES product, quantity int);
  CREATE TABLE wish (customer_id int REFERENCES customer, product_id int REFERENCES product);
  CREATE TABLE department (id int PRIMARY KEY, name text NOT NULL);
  CREATE TABLE employee (id int PRIMARY KEY, name text NOT NULL, department_id int REFERENCES department,
    manager_id int REFERENCES employee, hired_on date NOT NULL);
  CREATE TABLE invoice (id int PRIMARY KEY, order_id bigint REFERENCES orders, issued_on date NOT NULL);
  CREATE TABLE tax_rate (country char(2) REFERENCES country, kind text, percent numeric(4,2));
  CREATE TABLE exchange_rate (currency text, day date, rate numeric(12,6), PRIMARY KEY (currency, day));
  CREATE TABLE setting (name text PRIMARY KEY, value jsonb);
  CREATE TABLE event (id bigint, at timestamptz NOT NULL, kind text NOT NULL, payload jsonb) PARTITION BY RANGE (at);
  CREATE VIEW open_order AS SELECT * FROM orders WHERE status = 'open';
  COMMENT ON TABLE reversal IS 'Refunds and chargebacks of payments';
  COMMENT ON TABLE event IS 'What visitors did in the shop, by month';
  COMMENT ON COLUMN orders.total IS 'In euros, with tax';
  COMMENT ON COLUMN product.attributes IS 'colour, size and so on';`;

const RELATIONS = `
  CREATE TABLE crm.account (id int PRIMARY KEY, customer_id int REFERENCES customer, name text NOT NULL, industry text);
  CREATE TABLE crm.contact (id int PRIMARY KEY, account_id int REFERENCES crm.account, name text, phone text);
  CREATE TABLE crm.lead (id int PRIMARY KEY, stage crm.stage NOT NULL, source text, value numeric(12,2));
  CREATE TABLE crm.opportunity (id int PRIMARY KEY, account_id int REFERENCES crm.account, stage crm.stage, amount numeric(12,2));
  CREATE TABLE crm.campaign (id int PRIMARY KEY, name text NOT NULL, budget numeric(12,2));
  CREATE TABLE crm.campaign_member (campaign_id int REFERENCES crm.campaign, contact_id int REFERENCES crm.contact);
  CREATE TABLE crm.ticket (id int PRIMARY KEY, customer_id int REFERENCES customer, priority crm.priority NOT NULL,
    subject text NOT NULL, opened_at timestamptz NOT NULL, closed_at timestamptz, satisfaction int CHECK (satisfaction BETWEEN 1 AND 10));
  CREATE TABLE crm.ticket_comment (id int PRIMARY KEY, ticket_id int REFERENCES crm.ticket, body text);
  CREATE TABLE crm.call_log (id int PRIMARY KEY, contact_id int REFERENCES crm.contact, seconds int);
  CREATE TABLE crm.meeting (id int PRIMARY KEY, account_id int REFERENCES crm.account, starts_at timestamptz);
  CREATE TABLE crm.task (id int PRIMARY KEY, contact_id int REFERENCES crm.contact, due_on date, done boolean);
  CREATE TABLE crm.segment (id int PRIMARY KEY, name text, rule jsonb);
  CREATE TABLE crm.segment_member (segment_id int REFERENCES crm.segment, customer_id int REFERENCES customer);
  CREATE TABLE crm.invoice (id int PRIMARY KEY, account_id int REFERENCES crm.account, amount numeric(12,2) NOT NULL);
  CREATE TABLE crm.contract (id int PRIMARY KEY, account_id int REFERENCES crm.account, ends_on date);
  CREATE TABLE crm.survey (id int PRIMARY KEY, name text);
  CREATE TABLE crm.survey_answer (survey_id int REFERENCES crm.survey, customer_id int REFERENCES customer, score int);`;

const MONTHS = Array.from({ length: 12 }, (_, i) => {
  const month = (n: number): string => `2024-${String(n).padStart(2, '0')}-01 00:00+00`;
  const end = i === 11 ? '2025-01-01 00:00+00' : month(i + 2);
  return `CREATE TABLE event_2024_${String(i + 1).padStart(2, '0')} PARTITION OF event FOR VALUES FROM ('${month(i + 1)}') TO ('${end}');`;
}).join('\n');

/** The beginning of the data. */
const START = `timestamptz '2024-01-01 00:00+00'`;

/** A number below 65536 for the number of a row, which looks like none of its neighbors. */
const MIX = `CREATE FUNCTION pg_temp.mix(bigint) RETURNS bigint IMMUTABLE LANGUAGE sql
  AS 'SELECT $1 * 2654435761 % 4294967296 / 65536';`;

/** One of some texts, by a number. */
const pick = (number: string, ...texts: readonly string[]): string =>
  `(ARRAY[${texts.map((text) => `'${text}'`).join(', ')}])[1 + ((${number}) % ${texts.length})::int]`;

const DATA = `
  SET session_replication_role = replica; -- Foreign keys need not be checked row by row.
  INSERT INTO country VALUES ('DE', 'Germany', 'EUR'), ('FR', 'France', 'EUR'), ('GB', 'United Kingdom', 'GBP'),
    ('MT', 'Malta', 'EUR'), ('US', 'United States', 'USD');
  INSERT INTO category SELECT i, nullif(i / 4, 0), ${pick('i', 'Audio', 'Books', 'Cycling', 'Drinks', 'Electronics', 'Furniture', 'Garden', 'Hobby', 'Instruments', 'Jewellery', 'Kitchen', 'Lighting')}
    FROM generate_series(1, 12) i;
  INSERT INTO supplier SELECT i, 'Supplier ' || i, ${pick('i', 'DE', 'FR', 'GB')} FROM generate_series(1, 40) i;
  INSERT INTO product SELECT i, 'SKU-' || lpad(i::text, 5, '0'), 'Product ' || i, 1 + pg_temp.mix(i) % 12, 1 + i * 37 % 500 + 0.95,
    CASE WHEN i % 7 = 0 THEN i % 50 + 0.25 END,
    jsonb_build_object('colour', ${pick('i', 'red', 'green', 'blue', 'black', 'white')}, 'size', i % 9),
    CASE WHEN i % 83 = 0 THEN 'Box slightly Damaged, works' WHEN i % 3 = 0 THEN 'As new' END, i % 40 = 0
    FROM generate_series(1, 1000) i;
  INSERT INTO product_supplier SELECT i, 1 + i % 40, i % 300 + 0.5 FROM generate_series(1, 1000) i;
  INSERT INTO price_history SELECT i, date '2024-01-01' + j * 100, i + j FROM generate_series(1, 1000) i, generate_series(0, 2) j;
  INSERT INTO customer SELECT i, 'user' || i || ${pick('i', '@example.org', '@example.com', '@mail.example')}, 'Customer ' || i,
    CASE WHEN i % 250 = 0 THEN 'MT' ELSE ${pick('i', 'DE', 'FR', 'GB', 'US')} END,
    jsonb_build_object('newsletter', i % 3 = 0, 'language', ${pick('i', 'de', 'en')}),
    CASE WHEN i % 11 = 0 THEN date '1970-01-01' + i END, CASE WHEN i % 20 = 0 THEN i / 2 END, ${START} - i * interval '1 hour'
    FROM generate_series(1, 5000) i;
  INSERT INTO address SELECT i, 1 + i % 5000, 'Street ' || i, ${pick('i * 7', 'Berlin', 'Paris', 'London', 'Boston', 'Valletta')}
    FROM generate_series(1, 8000) i;
  INSERT INTO orders SELECT i, 1 + (pg_temp.mix(i) ^ 2 / 65536 ^ 2 * 4900)::int, ${pick('pg_temp.mix(i + 5)', 'delivered', 'delivered', 'shipped', 'paid', 'open', 'delivered', 'cancelled')}::order_status,
    ${pick('i / 5', 'web', 'web', 'app', 'phone', 'store')}, ${START} - interval '5 hours' + i * interval '13 minutes',
    1 + i % 8000, 1 + i * 3 % 8000, pg_temp.mix(i * 3) % 900 + i % 100 / 100.0 + 1,
    CASE WHEN i % 50 = 0 THEN '{gift,express}' WHEN i % 9 = 0 THEN '{gift}' WHEN i % 4 = 0 THEN '{express}' ELSE '{}' END::text[],
    CASE WHEN i % 1000 = 0 THEN 'Call before delivery' END
    FROM generate_series(1::bigint, 40000) i;
  INSERT INTO orders SELECT 9007199254740990 + i, 4890 + i, 'paid', 'web', ${START}, 1, 1, 100 + i, '{}', NULL FROM generate_series(1, 4) i;
  INSERT INTO order_item SELECT 1 + i % 40000, 1 + i / 40000, 1 + pg_temp.mix(i) * 1000 / 65536, 1 + pg_temp.mix(i * 11) % 4, i % 200 + 0.5
    FROM generate_series(0::bigint, 99999) i;
  INSERT INTO payment SELECT i, i, ${pick('i / 2', 'card', 'card', 'transfer', 'wallet')}::payment_method, i % 700 + 0.25,
    ${START} + i * interval '15 minutes' FROM generate_series(1::bigint, 20000) i;
  INSERT INTO reversal SELECT i, i * 40, i % 90 + 0.5, ${pick('i', 'late', 'broken', 'wrong size')} FROM generate_series(1, 300) i;
  INSERT INTO carrier VALUES (1, 'DHL'), (2, 'UPS'), (3, 'GLS');
  INSERT INTO shipment SELECT i, i * 2, 1 + pg_temp.mix(i) % 3, ${START} + i * interval '1 hour', CASE WHEN i % 17 <> 0 THEN ${START} + i * interval '2 hours' END
    FROM generate_series(1, 6000) i;
  INSERT INTO warehouse VALUES (1, 'North', 'DE'), (2, 'South', 'FR');
  INSERT INTO stock SELECT w, p, p * w * 13 % 100, 5 + p % 20 FROM generate_series(1, 2) w, generate_series(1, 300) p;
  INSERT INTO review SELECT i, 1 + i * 7 % 1000, 1 + i % 5000, 1 + pg_temp.mix(i) % 5, 'Review ' || i FROM generate_series(1, 8000) i;
  INSERT INTO coupon SELECT 'C' || i, i % 50, date '2024-06-01' + i FROM generate_series(1, 50) i;
  INSERT INTO employee SELECT i, 'Employee ' || i, NULL, nullif(i / 5, 0), date '2015-01-01' + i * 9 FROM generate_series(1, 120) i;
  INSERT INTO invoice SELECT i, i, date '2024-01-01' + i % 366 FROM generate_series(1, 3000) i;
  INSERT INTO event SELECT i, ${START} + i * interval '8 minutes 45 seconds', ${pick('pg_temp.mix(i)', 'view', 'search', 'click', 'view', 'error', 'view', 'view')},
    jsonb_build_object('page', i % 40) FROM generate_series(1::bigint, 60000) i;
  INSERT INTO crm.account SELECT i, i * 10, 'Account ' || i, ${pick('i', 'retail', 'health', 'finance')} FROM generate_series(1, 300) i;
  INSERT INTO crm.lead SELECT i, ${pick('pg_temp.mix(i)', 'new', 'contacted', 'new', 'won', 'lost')}::crm.stage, ${pick('i', 'fair', 'web', 'friend')}, i % 1000 FROM generate_series(1, 900) i;
  INSERT INTO crm.ticket SELECT i, 1 + i * 3 % 5000, ${pick('pg_temp.mix(i)', 'low', 'normal', 'normal', 'high', 'urgent')}::crm.priority, 'Subject ' || i,
    ${START} + i * interval '1 hour', CASE WHEN i % 6 <> 0 THEN ${START} + i * interval '3 hours' END, CASE WHEN i % 13 = 0 THEN 1 + i % 10 END
    FROM generate_series(1, 4000) i;
  INSERT INTO crm.invoice SELECT i, 1 + i % 300, i * 3 FROM generate_series(1, 450) i;`;

/** SETUP is the SQL that creates it. */
export const SETUP = [TYPES, SHOP, RELATIONS, MONTHS, MIX, DATA, 'ANALYZE;'].join('\n');
