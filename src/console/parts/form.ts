/** State of a form. The input remains whatever the result of saving is. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { fieldsIn, Problem, Unreachable } from '../api/request.ts';
import { useUnsaved } from '../unsaved.ts';

export type FormValues = Record<string, string | boolean>;

export type FieldsOf<Values extends FormValues> = {
  values: Values;
  set(name: string, value: string | boolean): void;
  /** Returns the error of a field in the API's words; `undefined` for a valid field. */
  errorOf(name: string): string | undefined;
  /** Returns the invalid entries of a field with several entries: the index or name of each entry, and the reason. */
  entryErrorsOf(name: string): readonly { entry: string; words: string }[];
  /** Values that were submitted, to which the errors refer. */
  tried: Values;
};

export type Form<Values extends FormValues> = FieldsOf<Values> & {
  /** Sets fields without an edit by the user. */
  fill(values: Partial<Values>): void;
  /** Returns the place of the last edit of a field in the order of all edits, from 1; 0 for a field without edits. */
  editedAt(name: keyof Values & string): number;
  isBusy: boolean;
  /** Whether the form was saved and has not changed since. */
  isSaved: boolean;
  /** Errors that belong to no field, and the number of invalid fields. */
  trouble: { words?: string; fields: number; isUnreachable: boolean } | undefined;
  submit(event: Event): void;
  ref: { current: HTMLFormElement | null };
};

/** Fields by error codes that concern one field without naming it. */
const fieldOfCode: Readonly<Record<string, string>> = {
  invalid_to: 'to',
  destination_not_allowed: 'to',
  transfer_not_allowed: 'to',
  invalid_max_duration_sec: 'max_duration_sec',
  max_duration_exceeds_policy: 'max_duration_sec',
  number_taken: 'number',
};

/** Creates a client-side validation error in the API's format. */
export const wrongField = (path: string, message: string): Problem =>
  new Problem(new Response(null, { status: 400 }), { code: 'invalid_request', errors: [{ path, message }] });

/** Parses a whole number; an empty field is null. */
export const wholeNumber = (path: string, text: string): number | null => {
  const digits = text.trim();
  if (digits === '') return null;
  if (!/^\d{1,9}$/.test(digits)) throw wrongField(path, 'Enter a whole number.');
  return Number(digits);
};

/** Converts nullable strings to fields and back; an empty field is null. */
export const textFields = <Name extends string>(...names: readonly Name[]) => ({
  of: (record: Readonly<Record<Name, string | null>> | undefined) =>
    Object.fromEntries(names.map((name) => [name, record?.[name] ?? ''])) as Record<Name, string>,
  in: (values: Readonly<Record<Name, string>>) =>
    Object.fromEntries(names.map((name) => [name, values[name].trim() || null])) as Record<
      Name,
      string | null
    >,
});

/** Converts nullable integers to fields and back; an invalid integer is reported at its field. */
export const numberFields = <Name extends string>(...names: readonly Name[]) => ({
  of: (record: Readonly<Record<Name, number | null>> | undefined) =>
    Object.fromEntries(names.map((name) => [name, String(record?.[name] ?? '')])) as Record<Name, string>,
  in: (values: Readonly<Record<Name, string>>) =>
    Object.fromEntries(names.map((name) => [name, wholeNumber(name, values[name])])) as Record<
      Name,
      number | null
    >,
});

const errorsIn = (problem: Problem): ReadonlyMap<string, string> => {
  const field = fieldOfCode[problem.code ?? ''];
  const fields = fieldsIn(problem);
  if (fields.size > 0 || field === undefined) return fields;
  const { maximum } = problem;
  const words = maximum === undefined ? problem.message : `Too big: expected number to be <=${maximum}`;
  return new Map([[field, words]]);
};

const isChanged = <Values extends FormValues>(kept: Values, values: Values): boolean =>
  Object.keys(values).some((name) => values[name] !== kept[name]);

export const useForm = <Values extends FormValues>(
  initial: Values,
  /**
   * Saves the values. The form then shows the values to which the promise resolves, because stored values may differ
   * from the input.
   */
  save: (values: Values) => Promise<Values | void>,
  /** Whether the form stores its input. Input that is not stored is discarded without confirmation. */
  { isStored = true }: { isStored?: boolean } = {},
): Form<Values> => {
  const [values, setValues] = useState(initial);
  const [kept, setKept] = useState(initial);
  const [tried, setTried] = useState(initial);
  /** An error remains until the next attempt, also while the user corrects it. */
  const [state, setState] = useState<'editing' | 'saving' | 'saved' | Problem | Unreachable>('editing');
  const ref = useRef<HTMLFormElement>(null);
  const edits = useRef({ count: 0, last: new Map<string, number>() });

  const failure = typeof state === 'string' ? undefined : state;
  const errors = failure instanceof Problem ? errorsIn(failure) : new Map<string, string>();
  const errorOf = (name: string): string | undefined =>
    [...errors].find(([path]) => path === name || path.startsWith(`${name}.`))?.[1];
  const entryErrorsOf = (name: string): readonly { entry: string; words: string }[] =>
    [...errors]
      .filter(([path]) => path.startsWith(`${name}.`))
      .map(([path, words]) => ({ entry: path.slice(name.length + 1), words }));
  const wrong = Object.keys(values).filter((name) => errorOf(name) !== undefined);

  // During saving, navigation to the next page needs no confirmation.
  useUnsaved(isStored && state !== 'saving' && isChanged(kept, values));

  useEffect(() => {
    if (failure !== undefined) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [failure]);

  const run = async (): Promise<void> => {
    setState('saving');
    setTried(values);
    try {
      const stored = await save(values);
      if (stored !== undefined) setValues(stored);
      setKept(stored ?? values);
      setState('saved');
    } catch (error) {
      const isKnown = error instanceof Problem || error instanceof Unreachable;
      setState(isKnown ? error : 'editing');
      if (!isKnown) throw error;
    }
  };

  const change = (changes: FormValues | Partial<Values>): void => {
    setState((before) => (before === 'saved' ? 'editing' : before));
    setValues((before) => ({ ...before, ...changes }));
  };

  return {
    values,
    set(name, value) {
      edits.current.count += 1;
      edits.current.last.set(name, edits.current.count);
      change({ [name]: value });
    },
    fill: change,
    editedAt: (name) => edits.current.last.get(name) ?? 0,
    errorOf,
    entryErrorsOf,
    tried,
    isBusy: state === 'saving',
    isSaved: state === 'saved',
    trouble:
      failure === undefined
        ? undefined
        : {
            fields: wrong.length,
            isUnreachable: failure instanceof Unreachable,
            ...(wrong.length === 0 ? { words: [...errors.values()][0] ?? failure.message } : {}),
          },
    submit(event) {
      event.preventDefault();
      if (state !== 'saving') void run();
    },
    ref,
  };
};
