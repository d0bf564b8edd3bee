/** The events of a call, as they happen. */
import { TrunklineProblem } from './problem.ts';
import type { CallEvent } from './schema.ts';
import type { RequestOptions } from './send.ts';
import { serverSentEvents } from './server-sent-events.ts';
import { TrunklineUnreachable, unreachable } from './unreachable.ts';

export type CallNews =
  /** What happened, first what was already; `event.sequence` counts. */
  | { type: 'fact'; event: CallEvent }
  /**
   * Where the charts of the call are now, as dotted paths. `saying`: the words of the agent's turn that were heard, and
   * the sentence that is being said; null between turns, absent from older gateways.
   */
  | {
      type: 'state';
      state: { call: string; conversation: string | null; voicemail: string | null; saying?: string | null };
    };

export type WatchOptions = RequestOptions & {
  /** Whether a stream that breaks is opened again where it was; `true` when it is not said. */
  reconnect?: boolean | undefined;
  /** How long to wait before that, twice as long each time that nothing came; 2000 when it is not said. */
  retryMs?: number | undefined;
  /**
   * How long nothing may come before a stream counts as broken; 40000 when it is not said. The gateway sends a comment
   * after 15 seconds without news.
   */
  silenceMs?: number | undefined;
  /** Called each time that the stream broke and before it is opened again, with the time until then. */
  onInterrupted?: ((failure: Error, retryInMs: number) => void) | undefined;
};

const mostFailures = 5;

/**
 * Until the last news of the call. A gateway that refuses the first time is believed; later, what may pass is waited
 * for, up to five times in a row.
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

/** Whatever keeps an answer from coming may pass, but not what cannot be read. */
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
