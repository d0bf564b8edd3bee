/** A server that speaks Vosk's websocket protocol and understands `sayInTones`. */
import { once } from 'node:events';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { createToneDecoder } from './tone-speech.ts';

/** Like Vosk's own server, responds to each audio message, even without new words. */
const listenTo = (socket: WebSocket): void => {
  let partial = '';
  let whole: string | null = null;
  const decoder = createToneDecoder({
    words: (text) => (partial = text),
    whole: (text) => (whole = text),
  });
  const answer = (text: string | null): void => {
    socket.send(JSON.stringify(text === null ? { partial } : { result: [], text }));
    if (text !== null) partial = '';
    whole = null;
  };
  socket.on('message', (data: RawData, isBinary) => {
    if (!Buffer.isBuffer(data)) return;
    if (isBinary) {
      decoder.write(new Int16Array(new Uint8Array(data).buffer));
      answer(whole);
    } else if (data.toString().includes('"eof"')) answer(partial);
  });
};

export type ToneVoskServer = { url: string; close(): Promise<void> };

export const startToneVoskServer = async (): Promise<ToneVoskServer> => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', listenTo);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `ws://127.0.0.1:${address.port}`,
    async close() {
      for (const client of server.clients) client.terminate();
      server.close();
      await once(server, 'close');
    },
  };
};
