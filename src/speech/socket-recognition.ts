/** What recognizers that are websocket servers have in common: sound goes up as it comes, messages come down. */
import { WebSocket } from 'ws';
import type { Recognition } from '#sip/speech.ts';
import { brokenOff, EngineFailure, EngineRefusal, unreachable } from './engine-failure.ts';
import type { EngineWorld } from './engine-world.ts';
import type { EngineEvent, ListenOptions } from './recognition-engine.ts';
import { bytesOf, joinSamples } from '#src/domain/samples.ts';

const maxMessageBytes = 1024 * 1024;
/** How long a server may take to confirm the end. */
const goodbyeMs = 1_000;

export type SocketEngine = {
  name: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Sound is sent in messages of so many samples, however it comes. */
  messageSamples: number;
  /** The first and the last message. */
  hello?: string;
  goodbye: string;
  /** Says that a sentence may be over. */
  pause?: string;
  /** Sent while there is no sound. */
  keepAlive?: { message: string; everyMs: number };
  /** What a message means; `null` when it means nothing. `sent` is how many samples were sent before it came. */
  read(message: unknown, sent: number): readonly EngineEvent[] | null;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const openSocketRecognition = (
  world: EngineWorld,
  engine: SocketEngine,
  { sampleRate }: ListenOptions,
  emit: (event: EngineEvent) => void,
): Recognition => {
  const { clock, limits, logger } = world;
  const { name, messageSamples, keepAlive } = engine;
  const mostWaiting = (limits.longestWaitingMs * sampleRate) / 1_000;
  let rest: Int16Array = new Int16Array();
  let sent = 0;
  let isOver = false;
  let wasOpen = false;
  let isReadable = true;
  let lastPartial = '';
  let wasSound = false;
  /** Until the connection stands, and then from sound that was sent to the next message. */
  let waiting: unknown;
  let keepingAlive: unknown;

  const end = (): void => {
    isOver = true;
    clock.clearTimeout(waiting);
    clock.clearTimeout(keepingAlive);
  };

  const fail = (error: Error): void => {
    if (isOver) return;
    end();
    socket.terminate();
    emit({ type: 'failed', error });
  };

  const failAfter = (milliseconds: number, what: string): unknown =>
    clock.setTimeout(() => fail(new EngineFailure(`${name} ${what}`)), milliseconds);

  const sendText = (message: string | undefined): void => {
    if (message !== undefined && socket.readyState === WebSocket.OPEN) socket.send(message, () => {});
  };

  const sendSound = (): void => {
    if (isOver || socket.readyState !== WebSocket.OPEN) return;
    let at = 0;
    for (; at + messageSamples <= rest.length; at += messageSamples)
      // That it cannot be sent is reported by the socket itself.
      socket.send(bytesOf(rest.subarray(at, at + messageSamples)), () => {});
    if (at === 0) return;
    rest = rest.slice(at);
    sent += at;
    wasSound = true;
    waiting ??= failAfter(limits.answerMs, 'gave no answer in time');
  };

  const keepAliveAfter = (every: { message: string; everyMs: number }): unknown =>
    clock.setTimeout(() => {
      if (!wasSound) sendText(every.message);
      wasSound = false;
      keepingAlive = keepAliveAfter(every);
    }, every.everyMs);

  const report = (event: EngineEvent): void => {
    if (isOver) return;
    if (event.type === 'failed') return fail(event.error);
    if (event.type === 'final' && event.text !== '') lastPartial = '';
    else if (event.type === 'partial' || event.type === 'final') {
      // A final without words takes back what the engine thought to hear.
      const { text } = event;
      if (text !== lastPartial) emit({ type: 'partial', text });
      lastPartial = text;
      return;
    }
    emit(event);
  };

  const socket = new WebSocket(engine.url, {
    headers: { ...engine.headers },
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
  });
  waiting = failAfter(limits.connectMs, 'could not be reached in time');

  socket.on('open', () => {
    clock.clearTimeout(waiting);
    waiting = undefined;
    wasOpen = true;
    if (isOver) return;
    sendText(engine.hello);
    sendSound();
    if (keepAlive !== undefined) keepingAlive = keepAliveAfter(keepAlive);
  });
  socket.on('unexpected-response', (request, response) => {
    request.destroy();
    fail(new EngineRefusal(name, response.statusCode ?? 0));
  });
  socket.on('error', (error) => fail(wasOpen ? brokenOff(name, error) : unreachable(name, error)));
  socket.on('close', (code) => fail(new EngineFailure(`${name} ended the connection (${code})`)));
  socket.on('message', (data, isBinary) => {
    if (isOver) return;
    clock.clearTimeout(waiting);
    waiting = undefined;
    // ws gives one Buffer a message, unless it is told otherwise.
    const isText = !isBinary && Buffer.isBuffer(data);
    const events = isText ? engine.read(parsed(data.toString('utf8')), sent) : null;
    if (events === null) {
      if (isReadable) logger.warn({ engine: name }, 'a recognizer sends what cannot be read; it is dropped');
      isReadable = false;
      return;
    }
    for (const event of events) report(event);
  });

  return {
    write(samples) {
      if (isOver) return;
      rest = joinSamples([rest, samples]);
      sendSound();
      const left = rest.length + socket.bufferedAmount / 2;
      if (left <= mostWaiting) return;
      rest = new Int16Array();
      clock.clearTimeout(waiting);
      waiting = failAfter(0, 'does not take sound as fast as it comes');
    },
    speechBegan() {},
    speechEnded: () => sendText(engine.pause),
    close() {
      if (isOver) return;
      end();
      if (socket.readyState !== WebSocket.OPEN) return socket.terminate();
      sendText(engine.goodbye);
      socket.close();
      const giveUp = clock.setTimeout(() => socket.terminate(), goodbyeMs);
      socket.once('close', () => clock.clearTimeout(giveUp));
    },
  };
};
