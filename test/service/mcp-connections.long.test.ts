/** Other numbers of connections that scripts and tools of MCP clients share than in mcp-connections.test.ts. */
import t from 'tap';
import { connectionsTest } from './mcp-connections.js';

connectionsTest(t, 1);
connectionsTest(t, 4);
