/**
 * Parses Server-Sent Events (WHATWG HTML, 9.2.6) from any body. `EventSource` cannot send a key in the headers, so the
 * client uses `fetch`. The parser is implemented here because the client has no dependencies; tests compare it with
 * eventsource-parser.
 */

import { TrunklineUnreachable } from './unreachable.ts';

/**
 * Silence after which a stream counts as broken. The gateway sends a comment after 15 seconds without events, so one
 * comment may be late and one may be lost.
 */
export const longestSilenceMs = 40_000;

export type ServerSentEvent = { event: string; data: string; id: string | undefined };

/**
 * Yields events until the stream ends. Throws when the stream breaks, or when no bytes (not even comments) arrive for
 * `silenceMs`, because the connection may be dead. Events without data are omitted.
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
      // A trailing carriage return is not a line ending yet, because it may be the first half of one.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    // Cancelling a broken stream rejects; the error is ignored, because the reader has already thrown it.
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
