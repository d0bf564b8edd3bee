/** Reads a stream of Server-Sent Events with an independent, standard-compliant parser. */
import { createParser } from 'eventsource-parser';
import { until } from './until.ts';

export type ServerSentEvent = { event: string; id: string | null; data: Record<string, unknown> };

export type EventStreamReader = {
  status: number;
  headers: Headers;
  /** Events received so far. */
  events: ServerSentEvent[];
  comments: string[];
  /** Whether the server has ended the stream. */
  isOver(): boolean;
  /** Resolves to the first matching event. */
  until(what: string, fits: (event: ServerSentEvent) => boolean): Promise<ServerSentEvent>;
  close(): void;
};

export const openEventStream = async (
  url: string,
  key: string | null,
  headers: Record<string, string> = {},
): Promise<EventStreamReader> => {
  const closing = new AbortController();
  const response = await fetch(url, {
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      accept: 'text/event-stream',
      ...headers,
    },
    signal: closing.signal,
  });
  const events: ServerSentEvent[] = [];
  const comments: string[] = [];
  let isOver = false;

  const follow = async (): Promise<void> => {
    const parser = createParser({
      onEvent: ({ event = 'message', id = null, data }) => events.push({ event, id, data: JSON.parse(data) }),
      onComment: (comment) => comments.push(comment.trim()),
      onError: (error) => {
        throw error;
      },
    });
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) parser.feed(decoder.decode(bytes, { stream: true }));
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
