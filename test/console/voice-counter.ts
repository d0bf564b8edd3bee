/**
 * A server that speaks Vosk's WebSocket protocol, and recognizes every voice as the same sentence. Its responses depend
 * only on the samples, not on their timing.
 */
import { once } from 'node:events';
import { WebSocketServer, type WebSocket } from 'ws';

/** Amplitude of a voice, out of 32768. */
const loud = 600;
/** In samples at 16 kHz: the onset of a voice, and its end. */
const begunAfter = 4_800;
const overAfter = 8_000;

const listenTo = (socket: WebSocket, sentence: string): void => {
  let voiced = 0;
  let quiet = 0;

  /** The words so far; `null` when they are final. */
  const take = (samples: Int16Array): string | null => {
    const isLoud = samples.some((sample) => Math.abs(sample) > loud);
    voiced += isLoud ? samples.length : 0;
    quiet = isLoud ? 0 : quiet + samples.length;
    if (voiced < begunAfter) {
      if (quiet >= overAfter) voiced = 0;
      return '';
    }
    return quiet >= overAfter ? null : sentence;
  };

  socket.on('message', (data, isBinary) => {
    if (!Buffer.isBuffer(data)) return;
    const isEnd = !isBinary && data.toString().includes('"eof"');
    if (!isBinary && !isEnd) return;
    const words = isEnd ? null : take(new Int16Array(new Uint8Array(data).buffer));
    const said = voiced >= begunAfter ? sentence : '';
    if (words === null) voiced = 0;
    socket.send(JSON.stringify(words === null ? { result: [], text: said } : { partial: words }));
  });
};

export const startVoiceCounter = async (
  sentence: string,
): Promise<{ url: string; close: () => Promise<void> }> => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => listenTo(socket, sentence));
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
