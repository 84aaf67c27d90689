/**
 * Limits that keep a template from blocking its thread or exhausting memory. Exceeding one is a template error: of stage
 * parse for nesting, of stage exec for all others.
 */

/** Deepest nesting of control structures and parentheses together. */
export const MAX_NESTING = 100;

/** Deepest chain of `{{template}}` calls. */
export const MAX_CALLS = 1000;

/** Largest output, and largest result of a function, in UTF-8 bytes. */
export const MAX_OUTPUT = 4 * 1024 * 1024;

/** Most steps of one rendering: nodes executed, iterations, and a share for every 64 characters handled. */
export const MAX_STEPS = 1_000_000;

/** How often all of a body may be bound without a share of the steps. */
export const FREE_BINDINGS = 4;

/** Steps after which the data may end a rendering. */
export const INTERRUPT_STEPS = 20_000;

/** Most bound parameters of one statement (PostgreSQL's protocol counts them in 16 bits). */
export const MAX_VALUES = 65_535;

/** Deepest nesting of data that is printed. */
export const MAX_DATA_DEPTH = 200;
