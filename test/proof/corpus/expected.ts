/** What is to be found in each script of the corpus, by `<folder>/<name>.<verb>`. */
import { ADMIN } from './expected/admin.js';
import { BILLING } from './expected/billing.js';
import { CUSTOMERS } from './expected/customers.js';
import { EVENTS } from './expected/events.js';
import { ORDERS } from './expected/orders.js';
import { PRODUCTS } from './expected/products.js';
import type { Expectations } from './expectation.js';

export const EXPECTED: Expectations = {
  ...CUSTOMERS,
  ...ORDERS,
  ...PRODUCTS,
  ...BILLING,
  ...EVENTS,
  ...ADMIN,
};
