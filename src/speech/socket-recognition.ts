/** Base of recognizers that are websocket servers: sends audio, receives messages. */
import type { Recognition } from '#sip/audio/speech.ts';
import type { Clock } from '#src/domain/clock.ts';
import { once } from '#src/domain/once.ts';
import { bytesIn } from '#src/domain/sample-bytes.ts';
import { EngineFailure } from './engine-failure.ts';
import { type EngineAddress, openEngineSocket } from './engine-socket.ts';
import type { EngineWorld } from './engine-world.ts';
import type { EngineEvent, ListenOptions } from './recognition-engine.ts';

/** Splits audio into messages of equal length; a remainder waits for more. */
type AudioMessages = {
  /** Audio written before `start` is not copied and must not be changed. */
  write(samples: Int16Array): void;
  /** Sends each full message from now on, beginning with earlier audio. */
  begin(): void;
  /** Number of samples not sent yet. */
  waiting(): number;
  /** Number of samples sent. */
  sent(): number;
  /** Drops the waiting audio. */
  clear(): void;
};

/** `send` must finish with a message before it returns: the buffer is reused. */
export const createAudioMessages = (
  messageSamples: number,
  send: (message: Int16Array) => void,
): AudioMessages => {
  const message = new Int16Array(messageSamples);
  let filled = 0;
  let sent = 0;
  /** Audio written before the start; `null` afterwards. */
  let early: Int16Array[] | null = [];

  const fill = (samples: Int16Array): void => {
    for (let at = 0; at < samples.length;) {
      const part = samples.subarray(at, at + messageSamples - filled);
      message.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < messageSamples) return;
      filled = 0;
      sent += messageSamples;
      send(message);
    }
  };

  return {
    write(samples) {
      if (early === null) fill(samples);
      else early.push(samples);
    },
    begin() {
      const before = early ?? [];
      early = null;
      for (const samples of before) fill(samples);
    },
    waiting: () => (early ?? []).reduce((sum, { length }) => sum + length, filled),
    sent: () => sent,
    clear() {
      if (early !== null) early = [];
      filled = 0;
    },
  };
};

/**
 * Reports partial words only when they change, because engines repeat them with every piece of audio. A final without
 * words retracts the last partial.
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
  /** Call this when another message was sent. */
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
  /** Samples per message, regardless of how the audio arrives. */
  messageSamples: number;
  /** The first and the last message. */
  hello?: string;
  goodbye: string;
  /** Notifies the engine that a sentence may be over. */
  pause?: string;
  /** Message that is sent while there is no audio. */
  keepAlive?: { message: string; everyMs: number };
  /** Parses a message; `null` if it has no meaning here. `sent` is the number of samples sent before it arrived. */
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
    /** Counted from the first audio after its last message. */
    start() {
      timer ??= clock.setTimeout(() => onOver('gave no answer in time'), limits.answerMs);
    },
    stop,
    /** The engine reads too slowly; reported after the current write. */
    giveUp() {
      stop();
      timer = clock.setTimeout(() => onOver('does not take sound as fast as it comes'), 0);
    },
  };
};

/** Reads messages; the first unreadable one is logged, without its words. */
const createReader = ({ logger }: EngineWorld, { name, read }: SocketEngine) => {
  const tell = once(() => logger.warn({ engine: name }, 'dropped an unreadable message of a recognizer'));
  return (message: unknown, sent: number): readonly EngineEvent[] => {
    const events = read(message, sent);
    if (events !== null) return events;
    tell();
    return [];
  };
};

export const openSocketRecognition = (
  world: EngineWorld,
  engine: SocketEngine,
  { sampleRate }: ListenOptions,
  emit: (event: EngineEvent) => void,
): Recognition => {
  const { hello, pause, goodbye, keepAlive: every } = engine;
  const mostWaiting = (world.limits.longestWaitingMs * sampleRate) / 1_000;
  const sound = createAudioMessages(engine.messageSamples, (message) => {
    // ws masks it into memory of its own (RFC 6455 section 5.3).
    socket.send(bytesIn(message));
    keepAlive?.said();
    answer.start();
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
      sound.begin();
      keepAlive?.begin();
    },
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
      if (pause !== undefined) socket.send(pause);
    },
    close() {
      endTimers();
      socket.close(goodbye);
    },
  };
};
