/** One request to the gateway that this page came from: what `fetch` is to the client, and what it can come to. */
import { signal } from '@preact/signals';
import { TrunklineProblem, TrunklineUnreachable as Unreachable } from '#src/client/client.ts';
import { isOver, session, signedInAgain, signInsUntilNow } from '../session.ts';

export { TrunklineProblem as Problem, Unreachable };

/** The messages of a problem, by the dotted path of the field. */
export const fieldsIn = ({ errors }: TrunklineProblem): ReadonlyMap<string, string> =>
  new Map(errors.map(({ path, message }) => [path, message]));

/** Whether the last request was answered; streams of events do not count. */
export const isConnected = signal(true);

/**
 * The session goes along by itself, and counts where no key is sent. By this header the gateway knows that it was the
 * console that asked.
 */
export const asConsole = (init: RequestInit): RequestInit => {
  const headers = new Headers(init.headers);
  headers.set('X-Trunkline-Console', '1');
  return { ...init, headers };
};

/** Throws `Unreachable`. */
export const requestOnce = (url: string, init: RequestInit): Promise<Response> =>
  fetched(url, asConsole(init));

/**
 * Throws `Unreachable`. Where the session is refused, it waits until somebody has signed in again and asks once more, so
 * that nothing that was typed is lost.
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
  const isStream = new Headers(init.headers).get('Accept') === 'text/event-stream';
  const note = (isAnswered: boolean): void => {
    if (!isStream) isConnected.value = isAnswered;
  };
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (cause) {
    note(init.signal?.aborted === true);
    throw new Unreachable('The gateway does not answer.', { cause });
  }
  // A read that fails inside the gateway is asked again, as one that never arrived.
  const isAnswered = init.method?.toUpperCase() !== 'GET' || response.status < 500;
  note(isAnswered);
  if (isAnswered) return response;
  throw new Unreachable('The gateway cannot answer now.');
};
