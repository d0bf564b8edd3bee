/** Base of recognizers that are websocket servers: sends audio, receives messages. */
import type { Recognition } from '#sip/speech.ts';
import { once } from '#src/domain/once.ts';
import { bytesIn } from '#src/domain/sample-bytes.ts';
import { EngineFailure } from './engine-failure.ts';
import { openEngineSocket, type EngineAddress } from './engine-socket.ts';
import type { EngineWorld } from './engine-world.ts';
import { createKeepAlive } from './keep-alive.ts';
import { withoutRepeatedPartials } from './without-repeated-partials.ts';
import type { EngineEvent, ListenOptions } from './recognition-engine.ts';
import { createSoundMessages } from './sound-messages.ts';

export type SocketEngine = EngineAddress & {
  /** Samples per message, regardless of how the audio arrives. */
  messageSamples: number;
  /** The first and the last message. */
  hello?: string;
  goodbye: string;
  /** Notifies the engine that a sentence may be over. */
  pause?: string;
  /** Sent while there is no audio. */
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
  const tell = once(() =>
    logger.warn({ engine: name }, 'a recognizer sends what cannot be read; it is dropped'),
  );
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
  const sound = createSoundMessages(engine.messageSamples, (message) => {
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
