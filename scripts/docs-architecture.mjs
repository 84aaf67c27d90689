// Writes the picture of the wings into docs/architecture.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { withPicture } from './wings-picture.mjs';

const file = new URL('../docs/architecture.md', import.meta.url);
writeFileSync(file, withPicture(readFileSync(file, 'utf8')));
