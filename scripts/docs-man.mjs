// Writes packaging/sql-rest-service.1 from the table of commands in the built service.
import { writeFileSync } from 'node:fs';
import { manPage } from '../dist/commands/line/man-page.js';

writeFileSync(new URL('../packaging/sql-rest-service.1', import.meta.url), manPage());
