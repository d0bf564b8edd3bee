/**
 * The events of a call as Server-Sent Events (WHATWG HTML, 9.2): first past events, then new events as they occur.
 *
 * The stream reads the journal. A notification of a new fact only triggers another read, so the stream contains exactly
 * the stored facts without gaps or duplicates, wherever it was interrupted. For a call of another gateway, that gateway
 * sends notifications if it is reachable; in any case the stream reads the journal again every second. The reader's
 * pace drives the stream: events are read only after a slow reader has taken the earlier ones, and a stalled reader is
 * disconnected.
 */
import { Readable } from 'node:stream';
import type { WatchedState } from '#src/calls/live/chart-watch.ts';
import type { CallRecord, JournalEntry } from '#src/calls/stored-calls.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { ApiServices } from '../api-services.ts';
import { encode } from '../http/codec.ts';
import type { StreamPermit } from '../http/stream-permits.ts';
import { callEvent, presentEvent } from './call-event-schema.ts';

/** A wake-up signal for a single waiter. A wake-up that arrives while there is no waiter is remembered. */
type WakeUp = {
  wake(): void;
  /** Resolves on a wake-up, or after this time. */
  wait(milliseconds: number): Promise<void>;
};

export const createWakeUp = (clock: Clock): WakeUp => {
  let state: 'nobody waits' | 'woken' | { end: () => void } = 'nobody waits';
  return {
    wake() {
      if (typeof state === 'string') state = 'woken';
      else state.end();
    },
    wait: (milliseconds) =>
      new Promise((resolve) => {
        const wasWoken = state === 'woken';
        const end = (): void => {
          clock.clearTimeout(timer);
          state = 'nobody waits';
          resolve();
        };
        const timer = clock.setTimeout(end, milliseconds);
        state = { end };
        if (wasWoken) end();
      }),
  };
};

/** The journal of a call as far as it was read, and whether more facts may follow. */
type SeenJournal = {
  /** Sequence number of the last fact; 0 before the first. */
  last(): number;
  add(entry: JournalEntry): void;
  /**
   * Whether the last fact of the call was read. After the end of a call, facts such as the summary may still follow.
   */
  isWhole(): boolean;
  /** Time of the call's end in milliseconds; infinite until the end was read from the journal. */
  endedAt(): number;
};

export const createSeenJournal = (call: CallRecord): SeenJournal => {
  const types = new Set<string>();
  let last = 0;
  let endedAt = Infinity;
  return {
    last: () => last,
    add({ sequence, type, at }) {
      last = sequence;
      types.add(type);
      if (type === 'call.ended') endedAt = at.getTime();
    },
    isWhole() {
      if (!types.has('call.ended')) return call.endedAt !== null && types.size === 0;
      const isRecorded = call.recordingEnabled && types.has('call.answered');
      const recordingIsDone = types.has('recording.completed') || types.has('recording.failed');
      return types.has('call.summarized') && (!isRecorded || recordingIsDone);
    },
    endedAt: () => endedAt,
  };
};

/**
 * Creates a stream with backpressure: the next message is created when the previous one was taken. A stalled reader is
 * disconnected. `onEnd` is called once, however the stream ends, even while a message is being created.
 */
export const createPulledStream = (
  messages: AsyncIterator<string>,
  { clock, slowReaderMs, onEnd }: { clock: Clock; slowReaderMs: number; onEnd: () => void },
): Readable => {
  let slowness: unknown;

  const pull = async (stream: Readable): Promise<void> => {
    const { done, value } = await messages.next();
    if (stream.destroyed) return;
    slowness = clock.setTimeout(() => stream.destroy(), slowReaderMs);
    stream.push(done === true ? null : value);
  };

  // `Readable.from` is not used, because it would keep all resources until its pending wait ends.
  return new Readable({
    read() {
      clock.clearTimeout(slowness);
      pull(this).catch((error: unknown) =>
        this.destroy(error instanceof Error ? error : new Error(String(error))),
      );
    },
    destroy(error, callback) {
      clock.clearTimeout(slowness);
      onEnd();
      callback(error);
    },
  });
};

/** Maximum number of states that the reader has not taken yet. Beyond it, the oldest states are dropped. */
const mostStates = 50;

/** Formats an event of a stream, whose data is given as JSON. */
export const jsonMessage = (event: string, json: string): string => `event: ${event}\ndata: ${json}\n\n`;

/** Formats an event of a stream. */
export const message = (event: string, data: object, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}${jsonMessage(event, JSON.stringify(data))}`;

/** A repeated task and its interval in milliseconds. */
export const createInterval = (clock: Clock, everyMs: number) => {
  let dueAt = clock.now() + everyMs;
  return {
    isDue: () => clock.now() >= dueAt,
    dueInMs: () => Math.max(0, dueAt - clock.now()),
    restart() {
      dueAt = clock.now() + everyMs;
    },
  };
};

/** Whether two states differ only in the words that are being spoken, which are never in the journal. */
const isSameButWords = (one: WatchedState | undefined, other: WatchedState): boolean => {
  const withoutWords = (state: WatchedState) => JSON.stringify({ ...state, hearing: null });
  return one !== undefined && withoutWords(one) === withoutWords(other);
};

/** Watches a call: when the journal must be read again, and chart states that were not sent yet. */
const watchCall = ({ id: callId, endedAt }: CallRecord, permit: StreamPermit, services: ApiServices) => {
  const { keepAliveMs, pollMs } = services.operation.limits.eventStream;
  const wakeUp = createWakeUp(services.operation.clock);
  const states: WatchedState[] = [];
  let lastState: WatchedState | undefined;
  let mayHaveFacts = true;
  const onFact = (): void => {
    mayHaveFacts = true;
    wakeUp.wake();
  };
  const onState = (state: WatchedState): void => {
    const changesWords = isSameButWords(lastState, state);
    lastState = state;
    // Later preliminary words replace those that wait.
    if (changesWords && states.length > 0) states.pop();
    states.push(state);
    if (states.length > mostStates) states.shift();
    if (changesWords) wakeUp.wake();
    else onFact();
  };
  // Wakes the stream for facts after the end of the call: its recording and its summary.
  const stopFacts = services.calls.watchFacts(callId, onFact);
  const stopWatch = endedAt === null ? services.calls.watchCall(callId, { onState, onFact }) : undefined;
  permit.signal.addEventListener('abort', wakeUp.wake);
  return {
    states,
    wait: wakeUp.wait,
    /** Whether there may be facts that were not read; false until the next notification. */
    takesNewFacts(): boolean {
      const may = mayHaveFacts;
      mayHaveFacts = false;
      return may;
    },
    /**
     * Each wait is limited, even for a call of another gateway, because that gateway may be unable to send
     * notifications.
     */
    longestWaitMs: () => (services.calls.isHeldHere(callId) ? keepAliveMs : Math.min(pollMs, keepAliveMs)),
    stop() {
      stopFacts();
      stopWatch?.();
      permit.signal.removeEventListener('abort', wakeUp.wake);
      wakeUp.wake();
    },
  };
};

export type EventStreamReader = {
  /** Sequence number of the last fact that the reader has. */
  after: number;
  timeZone: string;
  permit: StreamPermit;
  isStillValid: () => Promise<boolean>;
};

export const callEventStream = (
  call: CallRecord,
  { after, timeZone, permit, isStillValid }: EventStreamReader,
  services: ApiServices,
): Readable => {
  const { storedCalls } = services.calls;
  const { clock } = services.operation;
  const { keepAliveMs, slowReaderMs, revalidateMs, lateFactsMs, retryMs } =
    services.operation.limits.eventStream;
  const watch = watchCall(call, permit, services);
  let isOver = false;

  async function* messages(): AsyncGenerator<string> {
    const seen = createSeenJournal(call);
    const keepAlive = createInterval(clock, keepAliveMs);
    const validity = createInterval(clock, revalidateMs);
    let readAt = -Infinity;
    /** Time until the journal is read again without a notification. */
    const readDueInMs = (): number => Math.max(0, readAt + watch.longestWaitMs() - clock.now());
    /** Reads the new facts, unless only preliminary words have changed since the last read. */
    const newFacts = async (isLast: boolean): Promise<JournalEntry[]> => {
      if (!watch.takesNewFacts() && !isLast && readDueInMs() > 0) return [];
      readAt = clock.now();
      return storedCalls.journal(call.id, seen.last());
    };
    yield `retry: ${retryMs}\n\n`;
    while (!isOver) {
      if (validity.isDue()) {
        if (!(await isStillValid())) return;
        validity.restart();
      }
      // At shutdown, the stream sends the facts stored so far. The client reconnects elsewhere and continues after its
      // last fact.
      const isLast = permit.signal.aborted;
      const events = await newFacts(isLast);
      if (events.length > 0 || watch.states.length > 0) keepAlive.restart();
      for (const event of events) {
        seen.add(event);
        if (event.sequence <= after) continue;
        yield message('fact', encode(callEvent, presentEvent(event, timeZone), timeZone), event.sequence);
      }
      for (const state of watch.states.splice(0)) yield message('state', state);
      if (seen.isWhole() || clock.now() - seen.endedAt() > lateFactsMs) {
        yield message('end', {});
        return;
      }
      if (isLast) return;
      if (keepAlive.isDue()) {
        keepAlive.restart();
        yield ': still here\n\n';
      }
      await watch.wait(Math.min(readDueInMs(), keepAlive.dueInMs(), validity.dueInMs()));
    }
  }

  return createPulledStream(messages(), {
    clock,
    slowReaderMs,
    onEnd() {
      isOver = true;
      watch.stop();
      permit.release();
    },
  });
};
