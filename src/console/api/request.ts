/** One request to the gateway that this page came from: what `fetch` is to the client, and what it can come to. */
import { signal } from '@preact/signals';
import { TrunklineProblem } from '#src/client/client.ts';
import { expire, signedInAgain, token } from '../session.ts';

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

const authorization = (key: string): string => `Bearer ${key}`;

/**
 * Throws `Unreachable`. Where the admin token is refused, it waits until somebody has signed in again and asks once
 * more, so that nothing that was typed is lost.
 */
export const request = async (url: string, init: RequestInit): Promise<Response> => {
  const key = token.value;
  const response = await fetched(url, init);
  const isOurs = key !== null && new Headers(init.headers).get('Authorization') === authorization(key);
  if (response.status !== 401 || !isOurs) return response;
  expire(key);
  await signedInAgain();
  const headers = new Headers(init.headers);
  headers.set('Authorization', authorization(token.value ?? ''));
  return request(url, { ...init, headers });
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
