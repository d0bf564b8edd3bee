/** Base of recognizers that are websocket servers, which receive audio and send messages. */
import type { Recognition } from '#sip/audio/speech.ts';
import type { Clock } from '#src/domain/clock.ts';
import { once } from '#src/domain/once.ts';
import { bytesIn } from '#src/domain/sample-bytes.ts';
import { EngineFailure } from './engine-failure.ts';
import { type EngineAddress, openEngineSocket } from './engine-socket.ts';
import type { EngineWorld } from './engine-world.ts';
import type { EngineEvent, ListenOptions } from './recognition-engine.ts';

/** Splits audio into messages of equal length. A remainder waits for more audio. */
type AudioMessages = {
  /** Writes samples. The audio is not copied while it waits, and must not be changed. */
  write(samples: Int16Array): void;
  /** Calls back when all full messages so far are sent; at once if none wait. */
  whenSent(callback: () => void): void;
  /** Sends the full messages that wait, as far as there is room. */
  flush(): void;
  /** Returns the number of samples that were not sent yet. */
  waiting(): number;
  /** Returns the number of samples that were sent. */
  sent(): number;
  /** Drops the waiting audio and the callbacks. */
  clear(): void;
};

/** Joins two pieces of the same memory if the second one follows the first. */
const joined = (first: Int16Array, second: Int16Array): Int16Array | undefined =>
  first.buffer === second.buffer && first.byteOffset + first.byteLength === second.byteOffset
    ? new Int16Array(first.buffer, first.byteOffset, first.length + second.length)
    : undefined;

/** Creates the messages. `send` must finish with a message before it returns, because the buffer is reused. */
export const createAudioMessages = (
  messageSamples: number,
  { hasRoom, send }: { hasRoom: () => boolean; send: (message: Int16Array) => void },
): AudioMessages => {
  const message = new Int16Array(messageSamples);
  /** Waiting audio. Neighbouring pieces are joined, because an object for each 20 ms takes half as much as the samples. */
  let pieces: Int16Array[] = [];
  let waiting = 0;
  let sent = 0;
  /** `at`: number of samples to be sent before. */
  let callbacks: { at: number; callback: () => void }[] = [];

  /** Moves the first waiting samples to the message. */
  const fill = (): void => {
    for (let filled = 0; filled < messageSamples;) {
      const [piece = message] = pieces;
      const part = piece.subarray(0, messageSamples - filled);
      message.set(part, filled);
      filled += part.length;
      if (part.length === piece.length) pieces.shift();
      else pieces[0] = piece.subarray(part.length);
    }
  };

  const callBack = (): void => {
    for (let [first] = callbacks; first !== undefined && first.at <= sent; [first] = callbacks) {
      callbacks.shift();
      first.callback();
    }
  };

  const flush = (): void => {
    while (waiting >= messageSamples && hasRoom()) {
      fill();
      waiting -= messageSamples;
      sent += messageSamples;
      send(message);
      callBack();
    }
  };

  return {
    write(samples) {
      const last = pieces.at(-1);
      const both = last && joined(last, samples);
      if (both === undefined) pieces.push(samples);
      else pieces[pieces.length - 1] = both;
      waiting += samples.length;
      flush();
    },
    whenSent(callback) {
      callbacks.push({ at: sent + waiting - (waiting % messageSamples), callback });
      callBack();
    },
    flush,
    waiting: () => waiting,
    sent: () => sent,
    clear() {
      pieces = [];
      waiting = 0;
      callbacks = [];
    },
  };
};

/**
 * Reports partial words only when they change, because engines repeat them with every piece of audio. A final result
 * without words retracts the last partial one.
 */
export const withoutRepeatedPartials = (report: (event: EngineEvent) => void): typeof report => {
  let last = '';
  return (event) => {
    if (event.type === 'partial' || (event.type === 'final' && event.text === '')) {
      const { text } = event;
      if (text !== last) report({ type: 'partial', text });
      last = text;
      return;
    }
    if (event.type === 'final') last = '';
    report(event);
  };
};

/** Keeps a connection alive: sends a message after each interval without other messages. */
type KeepAlive = {
  begin(): void;
  /** Must be called when another message was sent. */
  said(): void;
  stop(): void;
};

export const createKeepAlive = (clock: Clock, everyMs: number, say: () => void): KeepAlive => {
  let wasSaid = false;
  let timer: unknown;
  const begin = (): void => {
    timer = clock.setTimeout(() => {
      if (!wasSaid) say();
      wasSaid = false;
      begin();
    }, everyMs);
  };
  return {
    begin,
    said() {
      wasSaid = true;
    },
    stop: () => clock.clearTimeout(timer),
  };
};

export type SocketEngine = EngineAddress & {
  /** Number of samples per message, however the audio arrives. */
  messageSamples: number;
  /** First and last message of a connection. */
  hello?: string;
  goodbye: string;
  /** Message that notifies the engine that a sentence may be over. */
  pause?: string;
  /** Message that is sent while there is no audio. */
  keepAlive?: { message: string; everyMs: number };
  /**
   * Parses a message; `null` if it has no meaning here. `sent` is the number of samples that were sent before the
   * message arrived.
   */
  read(message: unknown, sent: number): readonly EngineEvent[] | null;
};

/** Time limit for a message after audio was sent. */
const createAnswerLimit = ({ clock, limits }: EngineWorld, onOver: (what: string) => void) => {
  let timer: unknown;
  const stop = (): void => {
    clock.clearTimeout(timer);
    timer = undefined;
  };
  return {
    /** Starts the time limit, with the first audio after the engine's last message. */
    start() {
      timer ??= clock.setTimeout(() => onOver('gave no answer in time'), limits.answerMs);
    },
    stop,
    /** Ends the recognition after the current write, because the engine reads too slowly. */
    giveUp() {
      stop();
      timer = clock.setTimeout(() => onOver('does not take sound as fast as it comes'), 0);
    },
  };
};

/** Creates the reader of messages. The first unreadable message is logged, without its words. */
const createReader = ({ logger }: EngineWorld, { name, read }: SocketEngine) => {
  const tell = once(() => logger.warn({ engine: name }, 'dropped an unreadable message of a recognizer'));
  return (message: unknown, sent: number): readonly EngineEvent[] => {
    const events = read(message, sent);
    if (events !== null) return events;
    tell();
    return [];
  };
};

/**
 * Bytes that may wait in the socket: half a second of telephone audio. More audio waits outside, where it shares the
 * memory of the audio that is kept for the next engine (`fail-over-recognizer.ts`).
 */
const mostUnsentBytes = 8_192;

export const openSocketRecognition = (
  world: EngineWorld,
  engine: SocketEngine,
  { sampleRate }: ListenOptions,
  emit: (event: EngineEvent) => void,
): Recognition => {
  const { hello, pause, goodbye, keepAlive: every } = engine;
  const mostWaiting = (world.limits.longestWaitingMs * sampleRate) / 1_000;
  let isReady = false;
  const sound = createAudioMessages(engine.messageSamples, {
    hasRoom: () => isReady && socket.waitingBytes() < mostUnsentBytes,
    send(message) {
      // ws masks the message into memory of its own (RFC 6455 section 5.3), so the buffer can be reused.
      socket.send(bytesIn(message));
      keepAlive?.said();
      answer.start();
    },
  });
  const read = createReader(world, engine);
  const report = withoutRepeatedPartials(emit);
  const answer = createAnswerLimit(world, (what) => socket.fail(new EngineFailure(`${engine.name} ${what}`)));
  const keepAlive = every && createKeepAlive(world.clock, every.everyMs, () => socket.send(every.message));

  const endTimers = (): void => {
    answer.stop();
    keepAlive?.stop();
  };

  const socket = openEngineSocket(world, engine, {
    opened() {
      if (hello !== undefined) socket.send(hello);
      isReady = true;
      sound.flush();
      keepAlive?.begin();
    },
    left: sound.flush,
    received(message) {
      answer.stop();
      for (const event of read(message, sound.sent())) {
        if (socket.isOver()) return;
        if (event.type === 'failed') socket.fail(event.error);
        else report(event);
      }
    },
    failed(error) {
      endTimers();
      emit({ type: 'failed', error });
    },
  });

  return {
    write(samples) {
      if (socket.isOver() || socket.isLeaving()) return;
      sound.write(samples);
      if (sound.waiting() + socket.waitingBytes() / 2 <= mostWaiting) return;
      sound.clear();
      answer.giveUp();
    },
    speechBegan() {},
    speechEnded() {
      if (pause !== undefined && isReady) sound.whenSent(() => socket.send(pause));
    },
    close() {
      endTimers();
      socket.close(goodbye);
    },
  };
};
