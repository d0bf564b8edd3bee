/** One request to the gateway that this page came from. */
import { signal } from '@preact/signals';
import { expire, signedInAgain, token } from '../session.ts';
import { Problem, Unreachable, type ProblemDocument } from './problem.ts';

/** Whether the last request was answered. */
export const isConnected = signal(true);

export type RequestOptions = {
  body?: unknown;
  /** A number key, or a token that is being tried, instead of the admin token that is signed in with. */
  key?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Throws `Problem` or `Unreachable`. Where the admin token is refused, it waits until somebody has signed in again and
 * asks once more, so that nothing that was typed is lost.
 */
export const send = async (method: Method, path: string, options: RequestOptions = {}): Promise<Response> => {
  const key = options.key ?? token.value;
  const response = await fetched(method, path, key, options);
  if (response.ok) return response;
  if (response.status === 401 && options.key === undefined && key !== null) {
    expire(key);
    await signedInAgain();
    return send(method, path, options);
  }
  throw new Problem(response.status, await problemIn(response));
};

/** The shape of an answer is the gateway's word: its own tests hold every answer against the declared schema. */
export const ask = async <Answer>(
  method: Method,
  path: string,
  options?: RequestOptions,
): Promise<Answer> => {
  const response = await send(method, path, options);
  return (response.status === 204 ? undefined : await response.json()) as Answer;
};

const fetched = async (
  method: Method,
  path: string,
  key: string | null,
  { body, headers, signal }: RequestOptions,
): Promise<Response> => {
  try {
    const response = await fetch(path, {
      method,
      headers: {
        ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    // A read that fails inside the gateway is asked again, as one that never arrived.
    isConnected.value = method !== 'GET' || response.status < 500;
    if (isConnected.value) return response;
  } catch (cause) {
    isConnected.value = signal?.aborted === true;
    throw new Unreachable('The gateway does not answer.', { cause });
  }
  throw new Unreachable('The gateway cannot answer now.');
};

/** Something between this page and the gateway may answer without a problem document. */
const problemIn = async (response: Response): Promise<ProblemDocument> => {
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) return {};
  return (await response.json()) as ProblemDocument;
};
