/**
 * The value screen (specification 7.2), also exported by the package as `./screen`, for tests of scripts.
 * The rules and the keyword table are in native/value_screen.cc and native/sql_keywords.h.
 */
import { addon } from './addon.js';

/**
 * screen returns whether a value may be inserted into SQL text unchanged. Throws TypeError when the value is not a string.
 */
export const screen: (value: string) => boolean = addon.screen;
