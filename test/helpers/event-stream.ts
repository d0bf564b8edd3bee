/** Reads a stream of Server-Sent Events as it comes. */
import { until } from './until.ts';

export type ServerSentEvent = { event: string; id: string | null; data: Record<string, unknown> };

export type EventStreamReader = {
  status: number;
  headers: Headers;
  /** What has come so far. */
  events: ServerSentEvent[];
  comments: string[];
  /** Whether the server has ended it. */
  isOver(): boolean;
  /** The first event that fits, once it is there. */
  until(what: string, fits: (event: ServerSentEvent) => boolean): Promise<ServerSentEvent>;
  close(): void;
};

const read = (block: string, into: Pick<EventStreamReader, 'events' | 'comments'>): void => {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) into.comments.push(line.slice(1).trim());
    const [, name, value] = /^(\w+): (.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  const data = fields.get('data');
  if (data === undefined) return;
  into.events.push({
    event: fields.get('event') ?? 'message',
    id: fields.get('id') ?? null,
    data: JSON.parse(data),
  });
};

export const openEventStream = async (
  url: string,
  key: string,
  headers: Record<string, string> = {},
): Promise<EventStreamReader> => {
  const closing = new AbortController();
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...headers },
    signal: closing.signal,
  });
  const events: ServerSentEvent[] = [];
  const comments: string[] = [];
  let isOver = false;

  const follow = async (): Promise<void> => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      const blocks = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) read(block, { events, comments });
    }
  };
  void follow()
    .catch(() => undefined)
    .finally(() => {
      isOver = true;
    });

  return {
    status: response.status,
    headers: response.headers,
    events,
    comments,
    isOver: () => isOver,
    until: (what, fits) => until(what, () => events.find(fits)),
    close: () => closing.abort(),
  };
};
