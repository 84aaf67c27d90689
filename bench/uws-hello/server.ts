/**
 * The upper limit for plugin calls: one process of uWebSockets.js that sends the same text, as long as the plugin's answers,
 * for every request, without reading it.
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
