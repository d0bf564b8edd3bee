import type { ServerAdvice, ServerTrouble } from '#src/domain/server-advice.ts';

/** A failed request to a customer's server, with what advice needs. */
export type FailedRequest = {
  /** The entered URL: its host with port, and its path without a trailing slash. */
  host: string;
  hostName: string;
  path: string;
  /** The last requested URL, to which a redirect may be relative; undefined if there was none. */
  askedUrl: string | undefined;
  /** Null if a response arrived. */
  failure: { kind: string; detail: string } | null;
  /** Whether the response had begun when the request failed. */
  hasBegun: boolean;
  /** Status of the response; null without one. */
  status: number | null;
  /** Beginning of the body, trimmed. */
  text: string;
  headers: Readonly<Record<string, string>>;
  /** Words of the server that advice quotes, with secrets masked. */
  quote(words: string): string;
  names: {
    /** Name of the URL's field where it is entered. */
    url: 'chat URL' | 'URL';
    /** Name of the server behind it. */
    server: 'agent' | 'receiver';
    /** Advice for a login page in the way. */
    letIn: string;
  };
};

/** Returns undefined if it does not apply. */
export type ServerAdviser = (request: FailedRequest) => ServerAdvice | undefined;

export const advice = (code: ServerTrouble, words: string): ServerAdvice => ({ code, words });

/** Returns the first advice that applies. */
export const firstAdvice =
  <Trouble, Advice>(...advisers: readonly ((trouble: Trouble) => Advice | undefined)[]) =>
  (trouble: Trouble): Advice | undefined => {
    for (const adviser of advisers) {
      const found = adviser(trouble);
      if (found !== undefined) return found;
    }
    return undefined;
  };

/** Path of a URL, without a trailing slash. */
export const pathOf = (url: string): string => URL.parse(url)?.pathname.replace(/(?<!\/)\/+$/, '') ?? '';

/** Describes the target of a redirect. */
export const placeOf = (url: string): Pick<FailedRequest, 'host' | 'hostName' | 'path'> => {
  const parsed = URL.parse(url);
  return {
    host: parsed?.host ?? '',
    hostName: parsed?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '',
    path: pathOf(url),
  };
};
