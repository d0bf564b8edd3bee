/**
 * No complete response: the gateway was unreachable or the connection broke. Whether the request took effect is
 * unknown; `cause` is the platform's error.
 */
export class TrunklineUnreachable extends Error {
  override readonly name = 'TrunklineUnreachable';
}

/** Code of the innermost error, such as `ECONNREFUSED`; `fetch` itself only reports a failure. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
};

/** URL without user and password, for display. */
const shownUrl = (baseUrl: string): string => {
  try {
    return ` at ${new URL(baseUrl).origin}`;
  } catch {
    return '';
  }
};

/** `fetch` and body readers reject with a TypeError for network failures; other errors are passed on. */
export const unreachable = (what: string, error: unknown): unknown =>
  error instanceof TypeError
    ? new TrunklineUnreachable(`${what}: ${reasonOf(error)}`, { cause: error })
    : error;

/** Sends the request. Throws `TrunklineUnreachable`. */
export const answered = async (baseUrl: string, answer: Promise<Response>): Promise<Response> => {
  try {
    return await answer;
  } catch (error) {
    throw unreachable(`The gateway${shownUrl(baseUrl)} does not answer`, error);
  }
};

/** Reads the text or JSON of a response, which may break off. Throws `TrunklineUnreachable`. */
export const wholeBody = async <Body>(body: Promise<Body>): Promise<Body> => {
  try {
    return await body;
  } catch (error) {
    throw unreachable('The answer of the gateway broke off', error);
  }
};
