/**
 * Server-Sent Events (WHATWG HTML, 9.2.6) from any body, with a key in the headers, which `EventSource` cannot send.
 * Implemented here because the client has no dependencies; tests compare it with eventsource-parser.
 */

import { TrunklineUnreachable } from './unreachable.ts';

/** The gateway sends a comment after 15 seconds without events; this allows one to be late and one lost. */
export const longestSilenceMs = 40_000;

export type ServerSentEvent = { event: string; data: string; id: string | undefined };

/**
 * Yields events until the stream ends; throws when it breaks, or when nothing arrives for `silenceMs`, including
 * comments: the connection may be dead. Events without data are omitted.
 */
export async function* serverSentEvents(
  body: ReadableStream<Uint8Array>,
  silenceMs = longestSilenceMs,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let fields: [name: string, value: string][] = [];
  for await (const line of linesOf(body, silenceMs)) {
    if (line !== '') {
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      fields.push([name, value]);
      continue;
    }
    const valuesOf = (wanted: string) => fields.filter(([name]) => name === wanted).map(([, value]) => value);
    const data = valuesOf('data');
    if (data.length > 0) {
      yield {
        event: valuesOf('event').at(-1) ?? 'message',
        data: data.join('\n'),
        id: valuesOf('id').at(-1),
      };
    }
    fields = [];
  }
}

async function* linesOf(
  body: ReadableStream<Uint8Array>,
  silenceMs: number,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await within(silenceMs, reader.read());
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // A trailing carriage return may be the first half of a line ending.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    // A broken stream needs no cancelling; its reader has already thrown.
    reader.cancel().catch(() => undefined);
  }
}

const within = <Value>(milliseconds: number, waited: Promise<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new TrunklineUnreachable(`Nothing came for ${milliseconds} milliseconds.`)),
      milliseconds,
    );
    const settle =
      <Outcome>(tell: (outcome: Outcome) => void) =>
      (outcome: Outcome): void => {
        clearTimeout(timer);
        tell(outcome);
      };
    waited.then(settle(resolve), settle(reject));
  });
