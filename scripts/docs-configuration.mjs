// Writes the tables of keys of the built service into docs/configuration.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { withKeys } from '../dist/commands/config/documentation.js';

const file = new URL('../docs/configuration.md', import.meta.url);
writeFileSync(file, withKeys(readFileSync(file, 'utf8')));
