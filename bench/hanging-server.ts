/** A recognizer that accepts websocket connections and then neither reads nor responds; `GET /` reports that it is ready. */
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const server = createServer((_request, response) => response.end());
new WebSocketServer({ server }).on('connection', (_socket, { socket }) => socket.pause());
server.listen(Number(process.argv[2]), '127.0.0.1');
