/** Plugins, as recorded. pREST's was written in Go; ours is the example in C, which answers the same. */
import path from 'node:path';
import t from 'tap';
import { PluginFolder } from '../support/plugin-folder.js';
import { replay } from './replay.js';

const folder = new PluginFolder(t);
folder.compile('hello', path.join(process.cwd(), 'examples', 'plugins', 'c', 'plugin.c'));

await replay(t, 'plugins', { pluginpath: folder.path });
