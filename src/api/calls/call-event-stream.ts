/**
 * What happens in a call, as Server-Sent Events (WHATWG HTML, 9.2): what was, then what happens as it happens.
 *
 * The stream reads the journal itself. Being told that a fact was written only makes it look again, so it neither shows
 * what a read does not, nor misses or repeats anything, wherever it was interrupted. For a call of another gateway nobody
 * tells it; it looks again every second. It is pulled by its reader: what a slow one has not taken was never read, and
 * one that takes nothing any more is dropped.
 */
import { Readable } from 'node:stream';
import type { ChartState } from '#src/calls/live/chart-watch.ts';
import { journalOf } from '#src/persistence/call-journal.ts';
import type { CallRecord } from '#src/persistence/calls.ts';
import type { ApiServices } from '../api-services.ts';
import { encode } from '../codec.ts';
import type { StreamPermit } from '../stream-permits.ts';
import { createWakeUp } from './wake-up.ts';
import { callEvent, presentEvent } from './call-event-schema.ts';

export type EventStreamTimes = {
  /** A comment after so much silence keeps the connection open. */
  keepAliveMs: number;
  /** A reader that takes nothing for so long is dropped. */
  slowReaderMs: number;
  /** Between two looks for a call of another gateway. */
  pollMs: number;
  /** How often it is asked whether the reader's key or token is still good. */
  beliefMs: number;
  /** How long after the end of a call its recording and its summary are waited for. */
  lateFactsMs: number;
};

/** When a client comes back whose connection broke. */
const retryMs = 2_000;
/** States that the reader has not taken yet; of more, the latest count. */
const mostStates = 50;

const message = (event: string, data: object, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Whether the last fact of this call was seen, as far as can be told from their types. */
const isWhole = (call: CallRecord, seen: ReadonlySet<string>): boolean => {
  if (!seen.has('call.ended')) return call.endedAt !== null && seen.size === 0;
  const isRecorded = call.recordingEnabled && seen.has('call.answered');
  const recordingIsDone = seen.has('recording.completed') || seen.has('recording.failed');
  return seen.has('call.summarized') && (!isRecorded || recordingIsDone);
};

export const callEventStream = (
  call: CallRecord,
  reader: {
    after: number;
    timeZone: string;
    permit: StreamPermit;
    isStillValid: () => Promise<boolean>;
  },
  { database, clock, watchFacts, watchChart, limits }: ApiServices,
): Readable => {
  const { after, timeZone, permit, isStillValid } = reader;
  const { keepAliveMs, slowReaderMs, pollMs, beliefMs, lateFactsMs } = limits.eventStream;
  const wakeUp = createWakeUp(clock);
  const states: ChartState[] = [];
  const stopFacts = watchFacts(call.id, wakeUp.wake);
  const stopChart = watchChart(call.id, (state) => {
    states.push(state);
    if (states.length > mostStates) states.shift();
    wakeUp.wake();
  });
  permit.signal.addEventListener('abort', wakeUp.wake);
  const lookAgainMs = stopChart === undefined ? Math.min(pollMs, keepAliveMs) : keepAliveMs;
  let isOver = false;

  async function* messages(): AsyncGenerator<string> {
    const seen = new Set<string>();
    let last = 0;
    let endedAt = Infinity;
    let saidAt = clock.now();
    let believedAt = saidAt;
    yield `retry: ${retryMs}\n\n`;
    while (!isOver) {
      if (clock.now() - believedAt >= beliefMs) {
        if (!(await isStillValid())) break;
        believedAt = clock.now();
      }
      const events = await journalOf(database, call.id, last);
      if (events.length > 0 || states.length > 0) saidAt = clock.now();
      for (const event of events) {
        last = event.sequence;
        seen.add(event.type);
        if (event.type === 'call.ended') endedAt = event.at.getTime();
        if (event.sequence > after) {
          const fact = encode(callEvent, presentEvent(event, timeZone), timeZone);
          yield message('fact', fact, event.sequence);
        }
      }
      for (const state of states.splice(0)) yield message('state', state);
      if (isWhole(call, seen) || clock.now() - endedAt > lateFactsMs) {
        yield message('end', {});
        break;
      }
      if (permit.signal.aborted) break;
      if (clock.now() - saidAt >= keepAliveMs) {
        saidAt = clock.now();
        yield ': still here\n\n';
      }
      const nextAt = Math.min(saidAt + keepAliveMs, believedAt + beliefMs);
      await wakeUp.wait(Math.min(lookAgainMs, nextAt - clock.now()));
    }
  }

  const iterator = messages();
  let slowness: unknown;
  const pull = async (): Promise<void> => {
    const { done, value } = await iterator.next();
    if (isOver) return;
    slowness = clock.setTimeout(() => stream.destroy(), slowReaderMs);
    stream.push(done === true ? null : value);
  };

  // Readable.from would hold on to everything until the wait that goes on is over.
  const stream: Readable = new Readable({
    read() {
      clock.clearTimeout(slowness);
      pull().catch((error: unknown) =>
        stream.destroy(error instanceof Error ? error : new Error(String(error))),
      );
    },
    destroy(error, callback) {
      isOver = true;
      clock.clearTimeout(slowness);
      stopFacts();
      stopChart?.();
      permit.signal.removeEventListener('abort', wakeUp.wake);
      permit.release();
      wakeUp.wake();
      callback(error);
    },
  });
  return stream;
};
