/** One request to the gateway that this page came from: what `fetch` is to the client, and what it can come to. */
import { signal } from '@preact/signals';
import { TrunklineProblem } from '#src/client/client.ts';
import { isOver, session, signedInAgain, signInsUntilNow } from '../session.ts';

export { TrunklineProblem as Problem };

/** The messages of a problem, by the dotted path of the field. */
export const fieldsIn = ({ errors }: TrunklineProblem): ReadonlyMap<string, string> =>
  new Map(errors.map(({ path, message }) => [path, message]));

/** No answer came from the gateway. It may come back. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** Whether the last request was answered. */
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
  try {
    const response = await fetch(url, init);
    // A read that fails inside the gateway is asked again, as one that never arrived.
    isConnected.value = init.method?.toUpperCase() !== 'GET' || response.status < 500;
    if (isConnected.value) return response;
  } catch (cause) {
    isConnected.value = init.signal?.aborted === true;
    throw new Unreachable('The gateway does not answer.', { cause });
  }
  throw new Unreachable('The gateway cannot answer now.');
};
