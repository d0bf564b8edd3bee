/** Reads Server-Sent Events with the token in a header, which the browser's own EventSource cannot send. */

export type StreamEvent = { event: string; data: string };

const eventIn = (block: string): StreamEvent => {
  const fields = block.split('\n').map((line) => {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    return { name, value };
  });
  const valuesOf = (wanted: string) => fields.filter(({ name }) => name === wanted).map(({ value }) => value);
  return { event: valuesOf('event').at(-1) ?? 'message', data: valuesOf('data').join('\n') };
};

/** Until the stream ends or breaks. Blocks without data, such as comments, are left out. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = eventIn(block);
        if (event.data !== '') yield event;
      }
    }
  } finally {
    await reader.cancel();
  }
}
