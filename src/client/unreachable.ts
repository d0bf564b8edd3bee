/**
 * No whole answer came: the gateway could not be reached, or the connection broke. Whether the gateway did what it was
 * asked is unknown then; `cause` is the error of the platform.
 */
export class TrunklineUnreachable extends Error {
  override readonly name = 'TrunklineUnreachable';
}

/** The reason in the innermost error, such as `ECONNREFUSED`: `fetch` itself says no more than that it failed. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
};

/** As it may be shown: without a user or a password. */
const shownUrl = (baseUrl: string): string => {
  try {
    return ` at ${new URL(baseUrl).origin}`;
  } catch {
    return '';
  }
};

/** `fetch` and the readers of a body reject with a TypeError where the network fails; everything else stays as it is. */
export const unreachable = (what: string, error: unknown): unknown =>
  error instanceof TypeError
    ? new TrunklineUnreachable(`${what}: ${reasonOf(error)}`, { cause: error })
    : error;

/** The answer to a request. Throws `TrunklineUnreachable`. */
export const answered = async (baseUrl: string, answer: Promise<Response>): Promise<Response> => {
  try {
    return await answer;
  } catch (error) {
    throw unreachable(`The gateway${shownUrl(baseUrl)} does not answer`, error);
  }
};

/** The text or JSON of an answer, whose connection may break before it is whole. Throws `TrunklineUnreachable`. */
export const wholeBody = async <Body>(body: Promise<Body>): Promise<Body> => {
  try {
    return await body;
  } catch (error) {
    throw unreachable('The answer of the gateway broke off', error);
  }
};
