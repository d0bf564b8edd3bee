/** Watches the events of a call live. */
import { TrunklineProblem } from './problem.ts';
import type { CallEvent } from './schema.ts';
import type { RequestOptions } from './send.ts';
import { serverSentEvents } from './server-sent-events.ts';
import { TrunklineUnreachable, unreachable } from './unreachable.ts';

export type CallNews =
  /** An event of the call; past events come first. `event.sequence` counts the events. */
  | { type: 'fact'; event: CallEvent }
  /**
   * Current states of the call's charts as dotted paths. `saying` contains the heard words of the agent's turn and the
   * current sentence; `hearing` contains the preliminary words of the other party's turn, which its final words replace.
   * Both are null between turns, and absent from older gateways.
   */
  | {
      type: 'state';
      state: {
        call: string;
        conversation: string | null;
        voicemail: string | null;
        /** States of the charts of the telephone line and of its legs, while these exist. */
        'line-life'?: string;
        'outbound-leg'?: string;
        'inbound-leg'?: string;
        'second-leg'?: string;
        saying?: string | null;
        hearing?: string | null;
      };
    };

export type WatchOptions = RequestOptions & {
  /** Whether a broken stream is reopened at the position where it broke; `true` by default. */
  reconnect?: boolean | undefined;
  /** Delay in milliseconds before reopening, doubled after each empty stream; 2000 by default. */
  retryMs?: number | undefined;
  /**
   * Silence in milliseconds after which a stream counts as broken; 40000 by default. The gateway sends a comment after
   * 15 seconds without events.
   */
  silenceMs?: number | undefined;
  /** Called each time a stream breaks, with the delay before it is reopened. */
  onInterrupted?: ((failure: Error, retryInMs: number) => void) | undefined;
};

const mostFailures = 5;

/**
 * Yields events until the call's last event. Throws a refusal of the first request. Later, temporary failures are
 * retried up to five times in a row.
 */
export async function* watch(
  open: (lastEventId: string | undefined) => Promise<Response>,
  lastEventId: string | undefined,
  { signal, reconnect = true, retryMs = 2_000, silenceMs, onInterrupted }: WatchOptions = {},
): AsyncGenerator<CallNews, void, undefined> {
  let last = lastEventId;
  let hasOpened = false;
  let failures = 0;
  for (;;) {
    let failure: Error = new TrunklineUnreachable('The stream ended before the call was over.');
    try {
      const { body } = await open(last);
      hasOpened = true;
      for await (const { event, data, id } of body === null ? [] : serverSentEvents(body, silenceMs)) {
        if (event === 'end') return;
        failures = 0;
        last = id ?? last;
        if (event === 'fact') yield { type: 'fact', event: JSON.parse(data) };
        if (event === 'state') yield { type: 'state', state: JSON.parse(data) };
      }
    } catch (error) {
      if (!hasOpened || signal?.aborted === true || !mayPass(error)) throw error;
      const broken = unreachable('The stream of the call broke off', error);
      failure = broken instanceof Error ? broken : new Error(String(broken));
    }
    failures += 1;
    if (!reconnect || failures > mostFailures) throw failure;
    const retryInMs = retryMs * 2 ** (failures - 1);
    onInterrupted?.(failure, retryInMs);
    await pause(retryInMs, signal);
  }
}

/** Whether a failure may be temporary: a missing response may be, an unreadable one is not. */
const mayPass = (error: unknown): boolean =>
  error instanceof TrunklineProblem
    ? error.status >= 500 || error.status === 429
    : !(error instanceof SyntaxError);

const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
