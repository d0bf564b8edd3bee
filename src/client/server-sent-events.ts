/**
 * Server-Sent Events (WHATWG HTML, 9.2.6) from any body, with a key in the headers, which `EventSource` cannot send.
 * Written here because the client needs no package; the tests read the same streams by eventsource-parser.
 */

export type ServerSentEvent = { event: string; data: string; id: string | undefined };

/** Until the stream ends; throws where it breaks. What has no data, such as a comment, is left out. */
export async function* serverSentEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let fields: [name: string, value: string][] = [];
  for await (const line of linesOf(body)) {
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

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // A carriage return at the end may be the first half of a line end.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    // A stream that broke has nothing left to cancel; its reader has thrown already.
    reader.cancel().catch(() => undefined);
  }
}
