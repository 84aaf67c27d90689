// Writes docs/configuration.md from the table of keys in the built service.
import { writeFileSync } from 'node:fs';
import { configurationDocument } from '../dist/commands/config/documentation.js';

writeFileSync(new URL('../docs/configuration.md', import.meta.url), configurationDocument());
