/**
 * The value screen (specification 7.2), also exported by the package as `./screen` for people who test their scripts.
 * The rules and the keyword table are in native/value_screen.cc and native/sql_keywords.h.
 */
import { addon } from './addon.js';

/**
 * screen tells whether a value may be written into SQL text as it is: true when it may. Throws TypeError when the
 * value is not a string.
 */
export const screen: (value: string) => boolean = addon.screen;
