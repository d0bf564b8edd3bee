/** Sends a request to the gateway that served this page: the client's `fetch`, and its possible outcomes. */
import { TrunklineProblem, TrunklineUnreachable as Unreachable } from '#src/client/client.ts';
import { noteAnswer } from '../connection.ts';
import { isOver, session, signedInAgain, signInsUntilNow } from '../session.ts';

export { TrunklineProblem as Problem, Unreachable };

/** Returns the messages of a problem by the dotted path of their field. */
export const fieldsIn = ({ errors }: TrunklineProblem): ReadonlyMap<string, string> =>
  new Map(errors.map(({ path, message }) => [path, message]));

/**
 * Adds the header that marks a request as sent by the console. The gateway uses the browser's session cookie for a
 * request that has this header and no key; of a request with the key of a number, it audits whose session it is.
 */
export const asConsole = (init: RequestInit): RequestInit => {
  const headers = new Headers(init.headers);
  headers.set('X-Trunkline-Console', '1');
  return { ...init, headers };
};

/** Sends a request. Throws `Unreachable`. */
export const requestOnce = (url: string, init: RequestInit): Promise<Response> =>
  fetched(url, asConsole(init));

/**
 * Sends a request. Throws `Unreachable`. If the session is refused, waits until the user signs in again and then
 * repeats the request, so that input is not lost.
 */
export const request = async (url: string, init: RequestInit): Promise<Response> => {
  const signIn = signInsUntilNow();
  const response = await requestOnce(url, init);
  const isBySession = !new Headers(init.headers).has('Authorization');
  if (response.status !== 401 || !isBySession || session.value.is === 'nobody') return response;
  isOver(signIn);
  await signedInAgain();
  return request(url, init);
};

const fetched = async (url: string, init: RequestInit): Promise<Response> => {
  // Event streams do not show the state of the connection: a refused or broken one is opened again by its page.
  const isStream = new Headers(init.headers).get('Accept') === 'text/event-stream';
  const note = (isAnswered: boolean): void => {
    if (!isStream) noteAnswer(isAnswered);
  };
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (cause) {
    if (init.signal?.aborted !== true) note(false);
    throw new Unreachable('The gateway does not answer.', { cause });
  }
  // A GET request that fails inside the gateway is retried like one that did not reach the gateway.
  const isAnswered = init.method?.toUpperCase() !== 'GET' || response.status < 500;
  note(isAnswered);
  if (isAnswered) return response;
  throw new Unreachable('The gateway cannot answer now.');
};
