/**
 * Thrown when there is no complete response: the gateway was unreachable or the connection broke. The request may or
 * may not have taken effect. `cause` is the platform's error.
 */
export class TrunklineUnreachable extends Error {
  override readonly name = 'TrunklineUnreachable';
}

/** Returns the code of the innermost error, such as `ECONNREFUSED`; `fetch` itself reports no reason. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
};

/** Formats a URL for display, without user and password. A URL without an origin is not shown. */
const shownUrl = (baseUrl: string): string => {
  try {
    const { origin } = new URL(baseUrl);
    return origin === 'null' ? '' : ` at ${origin}`;
  } catch {
    return '';
  }
};

/**
 * Wraps network failures, for which `fetch` and body readers reject with a TypeError. Other errors are returned
 * unchanged.
 */
export const unreachable = (what: string, error: unknown): unknown =>
  error instanceof TypeError
    ? new TrunklineUnreachable(`${what}: ${reasonOf(error)}`, { cause: error })
    : error;

/** Awaits the response. Throws `TrunklineUnreachable` without one. */
export const answered = async (baseUrl: string, answer: Promise<Response>): Promise<Response> => {
  try {
    return await answer;
  } catch (error) {
    throw unreachable(`The gateway${shownUrl(baseUrl)} does not answer`, error);
  }
};

/** Reads the text or JSON of a response. Throws `TrunklineUnreachable` if the body breaks off. */
export const wholeBody = async <Body>(body: Promise<Body>): Promise<Body> => {
  try {
    return await body;
  } catch (error) {
    throw unreachable('The answer of the gateway broke off', error);
  }
};
