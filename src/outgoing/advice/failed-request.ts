import type { ServerAdvice, ServerTrouble } from '#src/domain/server-advice.ts';

/** A request to a customer's server that went wrong, as far as advice needs to know it. */
export type FailedRequest = {
  /** The URL that somebody has entered: its host with the port, and its path without a slash at the end. */
  host: string;
  hostName: string;
  path: string;
  /** What was asked last, which a redirect may be relative to; undefined when nothing was. */
  askedUrl: string | undefined;
  /** Null where an answer has come and nothing is wrong with the way to it. */
  failure: { kind: string; detail: string } | null;
  /** Whether the answer had begun when the request failed. */
  hasBegun: boolean;
  /** Of the answer that decided it; null without one. */
  status: number | null;
  /** The beginning of its body, without the space around it. */
  text: string;
  headers: Readonly<Record<string, string>>;
  /** Words of the server's own that are repeated in advice: where they hold what is secret, it is masked. */
  quote(words: string): string;
  names: {
    /** What the URL is called where it is entered. */
    url: 'chat URL' | 'URL';
    /** What is behind it. */
    server: 'agent' | 'receiver';
    /** What to do where a page to log in stands in the way. */
    letIn: string;
  };
};

/** Undefined when it has nothing to say. */
export type ServerAdviser = (request: FailedRequest) => ServerAdvice | undefined;

export const advice = (code: ServerTrouble, words: string): ServerAdvice => ({ code, words });

/** The first that has something to say. */
export const firstAdvice =
  <Trouble, Advice>(...advisers: readonly ((trouble: Trouble) => Advice | undefined)[]) =>
  (trouble: Trouble): Advice | undefined => {
    for (const adviser of advisers) {
      const found = adviser(trouble);
      if (found !== undefined) return found;
    }
    return undefined;
  };

/** The path of a URL, without a slash at its end. */
export const pathOf = (url: string): string => URL.parse(url)?.pathname.replace(/(?<!\/)\/+$/, '') ?? '';

/** Where a URL leads to, as advice calls it. */
export const placeOf = (url: string): Pick<FailedRequest, 'host' | 'hostName' | 'path'> => {
  const parsed = URL.parse(url);
  return {
    host: parsed?.host ?? '',
    hostName: parsed?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '',
    path: pathOf(url),
  };
};
