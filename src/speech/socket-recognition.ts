/** The common part of recognizers that are websocket servers: sound goes up as it comes, messages come down. */
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

/** The time that an engine has to say anything, from sound that it was sent. */
const createAnswerLimit = ({ clock, limits }: EngineWorld, onOver: (what: string) => void) => {
  let timer: unknown;
  const stop = (): void => {
    clock.clearTimeout(timer);
    timer = undefined;
  };
  return {
    /** From the first sound since it said something. */
    start() {
      timer ??= clock.setTimeout(() => onOver('gave no answer in time'), limits.answerMs);
    },
    stop,
    /** It takes too little to be waited for; said when whoever writes is done. */
    giveUp() {
      stop();
      timer = clock.setTimeout(() => onOver('does not take sound as fast as it comes'), 0);
    },
  };
};

/** Reads messages; of what cannot be read the first is told to the log, without its words. */
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
    // It is masked (RFC 6455 section 5.3) into memory of its own.
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
