/**
 * The limit of a plugin call: uWebSockets.js that answers everything with one text, of the length that the plugin's
 * answers have, in one process. It reads nothing of a request.
 */
import uWS from 'uWebSockets.js';
import { greeting } from '../cases.js';
import { peerSettings } from '../peers/settings.js';

const { port } = peerSettings();
const BODY = JSON.stringify(greeting(1));

uWS
  .App()
  .any('/*', (response) => {
    response.writeHeader('content-type', 'application/json').end(BODY);
  })
  .listen('127.0.0.1', port, (socket) => {
    if (socket === false) throw new Error(`cannot listen on port ${port}`);
  });
