/** All fuzz targets whose cases run in this process. */
import { formTarget, jsonTarget, multipartTarget } from './body-targets.js';
import { decoderTarget } from './decoder-target.js';
import { edgesTarget } from './edges-target.js';
import { httpTarget } from './http-target.js';
import { argumentTarget } from './mcp-argument-target.js';
import { messageTarget } from './mcp-message-target.js';
import { recordTarget } from './record-target.js';
import { screenTarget } from './screen-target.js';
import { statementTarget } from './statement-target.js';
import type { Target } from './target.js';
import { templateTarget } from './template-target.js';
import { tomlTarget } from './toml-target.js';

/** targets makes them, which reads their corpora. */
export function targets(): Target[] {
  return [
    httpTarget(),
    decoderTarget(),
    screenTarget(),
    templateTarget(),
    edgesTarget(),
    statementTarget(),
    tomlTarget(),
    recordTarget(),
    messageTarget(),
    argumentTarget(),
    jsonTarget(),
    formTarget(),
    multipartTarget(),
  ] as Target[];
}
