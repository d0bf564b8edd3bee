/** State of a trial: the form, and the response while it arrives. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { asConsole, Unreachable } from '../api/request.ts';
import { useForm, type Form } from '../parts/form.ts';
import { mayChange, session } from '../session.ts';
import { learnSession } from '../signing.ts';
import { usePolled } from '../polled.ts';
import type { PhoneNumber } from '#src/client/client.ts';
import type { Operation, Reference } from './document.ts';
import { initialValues, keyField, numberField, pasted, requestOf, withKey } from './request.ts';
import type { TrialValues } from './request.ts';
import { forgetSessionKeys, listOwnNumbers, sessionKeyOf } from './session-keys.ts';

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
  /** Numbers whose key the session may use for this operation; undefined until they are known. */
  numbers: readonly PhoneNumber[] | undefined;
  answer: TrialAnswer | undefined;
  stop: () => void;
};

/** The last typed key, so that the user types it only once for all operations of a number. */
let lastKey = '';

/** The last chosen number, for the same reason. */
let lastNumber: string | undefined;

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

/** Returns the numbers whose key the session may use; undefined until they are known. */
const useNumbers = (takesKey: boolean): readonly PhoneNumber[] | undefined => {
  const isOffered = takesKey && mayChange.value;
  const { value, problem } = usePolled(`numbers.${isOffered}`, async () =>
    isOffered ? listOwnNumbers() : [],
  );
  useEffect(() => {
    if (!isOffered) forgetSessionKeys();
  }, [isOffered]);
  return session.value.is === 'unknown' ? undefined : problem === undefined ? value : [];
};

/** Chooses a number in the form as soon as the numbers are known: the last one, or the first. */
const useChosenNumber = (numbers: readonly PhoneNumber[] | undefined, form: Form<TrialValues>): void => {
  const ids = numbers?.map(({ id }) => id).join(' ');
  // Before the first painting with the numbers, which would show the field of a pasted key.
  useLayoutEffect(() => {
    if (numbers === undefined) return;
    const wanted = lastNumber ?? numbers[0]?.id;
    form.set(numberField, numbers.find(({ id }) => id === wanted)?.id ?? pasted);
  }, [ids]);
};

export const useTrial = (operation: Operation, schemas: Reference['schemas']): OperationTrial => {
  const takesKey = operation.auth === 'numberKey';
  const numbers = useNumbers(takesKey);
  const [answer, setAnswer] = useState<TrialAnswer>();
  const running = useRef(new AbortController());
  const stop = (): void => running.current.abort();
  useEffect(() => stop, []);
  useEffect(() => forgetSessionKeys, []);

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
    { ...initialValues(operation, schemas), [keyField]: takesKey ? lastKey : '' },
    async (values) => {
      const prepared = requestOf(operation, values);
      const chosen = numbers?.find(({ id }) => id === values[numberField])?.id;
      if (takesKey) {
        lastKey = values[keyField] ?? '';
        // A pasted key is used again, too.
        if (numbers !== undefined && numbers.length > 0) lastNumber = chosen ?? pasted;
      }
      const { url, ...init } =
        chosen === undefined ? prepared : withKey(prepared, await sessionKeyOf(chosen));
      stop();
      const over = new AbortController();
      running.current = over;
      setAnswer(undefined);
      const begun = performance.now();
      const response = await fetchAnswer(url, { ...init, signal: over.signal });
      const received = receive(response, Math.round(performance.now() - begun));
      // Another person may have reissued the key.
      if (response.status === 401) forgetSessionKeys();
      // The session may have changed, either by this operation or because it expired.
      if (response.status === 401 || operation.tag === 'Console') await learnSession();
      await received.catch((error: unknown) => {
        setAnswer((before) => before && { ...before, isOpen: false });
        if (!over.signal.aborted) throw new Unreachable('The answer broke off.', { cause: error });
      });
    },
    { isStored: false },
  );
  useChosenNumber(numbers, form);
  return { form, numbers, answer, stop };
};
