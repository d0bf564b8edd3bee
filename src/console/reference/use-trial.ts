/** State of a trial: the form, and the response while it arrives. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { asConsole, Unreachable } from '../api/request.ts';
import { useForm, type Form } from '../parts/form.ts';
import { learnSession } from '../signing.ts';
import type { Operation, Reference } from './document.ts';
import { initialValues, keyField, requestOf, type TrialValues } from './request.ts';

/** Maximum length of displayed text of an endless response. */
const longestText = 200_000;

export type TrialAnswer = {
  status: number;
  ms: number;
  requestId: string | null;
  /** Names of query parameters that the operation ignored; null if there are none. */
  ignored: string | null;
  body: { is: 'text'; text: string; isCut: boolean } | { is: 'file'; file: Blob };
  /** Whether the response is still incomplete. */
  isOpen: boolean;
};

export type OperationTrial = {
  form: Form<TrialValues>;
  answer: TrialAnswer | undefined;
  stop: () => void;
};

/** The last typed key, so that the user types it only once for all operations of a number. */
let lastKey = '';

const isText = (type: string): boolean => /^(text\/|application\/(json|problem\+json|jsonl))/.test(type);

const fetchAnswer = async (url: string, init: RequestInit): Promise<Response> => {
  try {
    return await fetch(url, asConsole(init));
  } catch (cause) {
    throw new Unreachable('The gateway does not answer.', { cause });
  }
};

/** Reads a response and reports the text so far with every chunk, until the response ends or is stopped. */
const readText = async (response: Response, tell: (text: string, isCut: boolean) => void): Promise<void> => {
  let text = '';
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const isCut = text.length > longestText;
    tell(text.slice(0, longestText), isCut);
    if (isCut) return reader?.cancel();
  }
};

export const useTrial = (operation: Operation, schemas: Reference['schemas']): OperationTrial => {
  const [answer, setAnswer] = useState<TrialAnswer>();
  const running = useRef(new AbortController());
  const stop = (): void => running.current.abort();
  useEffect(() => stop, []);

  const receive = async (response: Response, ms: number): Promise<void> => {
    const head = {
      status: response.status,
      ms,
      requestId: response.headers.get('X-Request-Id'),
      ignored: response.headers.get('X-Ignored-Fields'),
    };
    const type = response.headers.get('Content-Type') ?? 'text/plain';
    if (!isText(type)) {
      const file = await response.blob();
      return setAnswer({ ...head, body: { is: 'file', file }, isOpen: false });
    }
    let body: TrialAnswer['body'] = { is: 'text', text: '', isCut: false };
    setAnswer({ ...head, body, isOpen: true });
    await readText(response, (text, isCut) => {
      body = { is: 'text', text, isCut };
      setAnswer({ ...head, body, isOpen: true });
    });
    setAnswer({ ...head, body, isOpen: false });
  };

  const form = useForm<TrialValues>(
    { ...initialValues(operation, schemas), [keyField]: operation.auth === 'numberKey' ? lastKey : '' },
    async (values) => {
      const { url, ...init } = requestOf(operation, values);
      if (operation.auth === 'numberKey') lastKey = values[keyField] ?? '';
      stop();
      const over = new AbortController();
      running.current = over;
      setAnswer(undefined);
      const begun = performance.now();
      const response = await fetchAnswer(url, { ...init, signal: over.signal });
      const received = receive(response, Math.round(performance.now() - begun));
      // The session may have changed, either by this operation or because it expired.
      if (response.status === 401 || operation.tag === 'Console') await learnSession();
      await received.catch((error: unknown) => {
        setAnswer((before) => before && { ...before, isOpen: false });
        if (!over.signal.aborted) throw new Unreachable('The answer broke off.', { cause: error });
      });
    },
  );
  return { form, answer, stop };
};
