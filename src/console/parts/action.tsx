/** A button that sends a request to the gateway and shows a failure beside itself. */
import { useState } from 'preact/hooks';
import { fieldsIn, Problem, Unreachable } from '../api/request.ts';
import { explain } from '../language/explain.ts';
import { language, texts } from '../language/language.ts';
import { mayChange } from '../session.ts';
import { Dialog } from './dialog.tsx';

export type Confirmation = { title: string; text: string };

/** Returns the message of the first invalid field, else the problem's own text. */
const reasonOf = (problem: Problem): string => [...fieldsIn(problem).values()][0] ?? problem.message;

export const Action = ({
  label,
  look = 'plain',
  done,
  asked,
  isForAll = false,
  act,
}: {
  label: string;
  look?: 'plain' | 'primary' | 'danger';
  /** Text that is shown after success. */
  done?: string;
  /** Confirmation that is shown before the action. */
  asked?: Confirmation;
  /** Whether the action is read-only, so that viewers see it too. */
  isForAll?: boolean;
  act: () => Promise<void>;
}) => {
  const t = texts.value.shell;
  const [state, setState] = useState<'idle' | 'busy' | 'done'>('idle');
  const [failure, setFailure] = useState<Problem | Unreachable>();
  const [isAsking, setAsking] = useState(false);

  const run = async (): Promise<void> => {
    setAsking(false);
    setFailure(undefined);
    setState('busy');
    try {
      await act();
      setState('done');
    } catch (error) {
      setState('idle');
      if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
      setFailure(error);
    }
  };

  if (!isForAll && !mayChange.value) return null;
  return (
    <span class="action">
      <button
        type="button"
        class={look}
        aria-disabled={state === 'busy'}
        onClick={() => {
          if (state === 'busy') return;
          if (asked === undefined) void run();
          else setAsking(true);
        }}
      >
        {label}
      </button>
      <span role="status" class={failure === undefined ? 'fine' : 'error'}>
        {failure instanceof Unreachable && t.form.unreachable}
        {failure instanceof Problem && explain(reasonOf(failure), language.value)}
        {state === 'done' && done}
      </span>
      {isAsking && asked !== undefined && (
        <Dialog title={asked.title} onClose={() => setAsking(false)}>
          <p>{asked.text}</p>
          <div class="submit">
            <button type="button" class={look === 'danger' ? 'danger' : 'primary'} onClick={() => void run()}>
              {label}
            </button>
            <button type="button" onClick={() => setAsking(false)}>
              {t.form.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </span>
  );
};

/** Loads the next page of a list. */
export const MoreButton = ({ load }: { load: () => Promise<void> }) => (
  <p class="more">
    <Action isForAll label={texts.value.shell.more} act={load} />
  </p>
);
