/** The configuration keys of what describes the scripts to their callers. Data only. */
import { derived, type Values } from './key.js';
import { boolean } from './kind.js';
import { isLoopback } from './loopback.js';

const LOCAL = (values: Values): boolean => isLoopback(values['http.host'] as string);

export const DOCS_KEYS = {
  'docs.page': derived(
    boolean(),
    'true when `http.host` is an address of this machine only',
    LOCAL,
    'Serve the page `/_docs`, which lists scripts and runs them. It shows each caller only the scripts that they may run. On an address of this machine only, `/` is the page too.',
  ),
};
