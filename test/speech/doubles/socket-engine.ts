/** A speech engine over WebSocket on loopback: the test decides the behaviour of each connection. */
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { ExecutionContext } from 'ava';
import { WebSocketServer, type WebSocket } from 'ws';

export type EngineConnection = {
  path: string;
  headers: IncomingHttpHeaders;
  socket: WebSocket;
  /** Text messages, and the sizes of binary ones, in order. */
  messages: (string | number)[];
  /** All audio so far. */
  sound(): Buffer;
  send(message: unknown): void;
  /** Handles each audio message. */
  onSound: (bytes: Buffer) => void;
  onText: (text: string) => void;
};

export const startSocketEngine = async (
  t: ExecutionContext,
  behave: (connection: EngineConnection, index: number) => void = () => undefined,
  options: { refuseWith?: number } = {},
) => {
  const connections: EngineConnection[] = [];
  let refusals = 0;
  const server = new WebSocketServer({
    host: '127.0.0.1',
    port: 0,
    verifyClient(_info, answer) {
      if (options.refuseWith === undefined) return answer(true);
      refusals += 1;
      answer(false, options.refuseWith, 'hush-hush');
    },
  });
  server.on('connection', (socket, request) => {
    const sounds: Buffer[] = [];
    const connection: EngineConnection = {
      path: request.url ?? '',
      headers: request.headers,
      socket,
      messages: [],
      sound: () => Buffer.concat(sounds),
      send: (message) => socket.send(JSON.stringify(message)),
      onSound: () => undefined,
      onText: () => undefined,
    };
    socket.on('message', (data, isBinary) => {
      if (!Buffer.isBuffer(data)) return;
      if (isBinary) {
        sounds.push(data);
        connection.messages.push(data.length);
        connection.onSound(data);
      } else {
        connection.messages.push(data.toString());
        connection.onText(data.toString());
      }
    });
    connections.push(connection);
    behave(connection, connections.length - 1);
  });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  t.teardown(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return { port: address.port, url: `ws://127.0.0.1:${address.port}`, connections, refused: () => refusals };
};

/** Results of Deepgram (developers.deepgram.com, "Live Audio"). Times are in seconds. */
export const deepgramResults = (
  transcript: string,
  { start = 0, duration = 1, isFinal = false, speechFinal = false, fromFinalize = false } = {},
) => ({
  type: 'Results',
  channel_index: [0, 1],
  duration,
  start,
  is_final: isFinal,
  speech_final: speechFinal,
  channel: {
    alternatives: [
      {
        transcript,
        confidence: 0.99,
        words: transcript
          .split(' ')
          .map((word) => ({ word, start, end: start + duration, confidence: 0.99, punctuated_word: word })),
      },
    ],
  },
  metadata: {
    request_id: '8d7a8ab6-8b6b-4d2d-8f0a-6d6b5a0f8f6e',
    model_info: { name: 'general-nova-3', version: '2025-04-17.21547', arch: 'nova-3' },
    model_uuid: '40bd3654-e622-47c4-a111-63a61b23bfe8',
  },
  from_finalize: fromFinalize,
});

export const deepgramMessages = {
  metadata: {
    type: 'Metadata',
    transaction_key: 'deprecated',
    request_id: '8c8ebea9-dbec-45fa-a035-e4632cb05b5f',
    sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    created: '2024-08-29T22:37:55.202Z',
    duration: 0,
    channels: 0,
  },
  speechStarted: { type: 'SpeechStarted', channel: [0], timestamp: 9.54 },
  utteranceEnd: { type: 'UtteranceEnd', channel: [0, 1], last_word_end: 2.395 },
  error: {
    type: 'Error',
    description: 'hush-hush',
    message: 'Could not process the audio.',
    variant: 'invalid_audio',
  },
};

/** Turns of Deepgram's Flux (developers.deepgram.com, "Turn-based Audio"). */
export const fluxTurn = (event: string, transcript: string, { heardSec = 1, trigger = 'model' } = {}) => ({
  type: 'TurnInfo',
  request_id: '8d7a8ab6-8b6b-4d2d-8f0a-6d6b5a0f8f6e',
  sequence_id: 4,
  event,
  turn_index: 0,
  audio_window_start: 0,
  audio_window_end: heardSec,
  transcript,
  words: transcript.split(' ').map((word) => ({ word, confidence: 0.99 })),
  end_of_turn_confidence: event === 'EndOfTurn' ? 0.83 : 0.1,
  ...(event === 'EndOfTurn' ? { trigger } : {}),
});

export const fluxMessages = {
  connected: { type: 'Connected', request_id: '8d7a8ab6-8b6b-4d2d-8f0a-6d6b5a0f8f6e', sequence_id: 0 },
  error: { type: 'Error', sequence_id: 7, code: 'INTERNAL_SERVER_ERROR', description: 'hush-hush' },
};

/** The response of Vosk's server to each audio message. */
export const voskFinal = (text: string) => ({
  result: text.split(' ').map((word) => ({ conf: 1, start: 0, end: 1, word })),
  text,
});
