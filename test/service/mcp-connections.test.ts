/** Two connections that scripts and tools of MCP clients share, through reloads. */
import t from 'tap';
import { connectionsTest } from './mcp-connections.js';

connectionsTest(t, 2);
