/** Buttons that need the gateway, and an action that sends a request to it and shows a failure beside itself. */
import type { ButtonHTMLAttributes } from 'preact';
import { useState } from 'preact/hooks';
import { fieldsIn, Problem, Unreachable } from '../api/request.ts';
import { isConnectionLost } from '../connection.ts';
import { explain } from '../language/explain.ts';
import { texts } from '../language/language.ts';
import { mayChange } from '../session.ts';
import { Dialog } from './dialog.tsx';

export type Confirmation = { title: string; text: string };

/** Returns the message of the first invalid field, else the problem's own text. */
const reasonOf = (problem: Problem): string => [...fieldsIn(problem).values()][0] ?? problem.message;

/**
 * A button that is of no use without the gateway: while the connection is lost, the button does nothing and its title
 * says why. The button is not `disabled`, because then it would lose the focus and hide its title from the keyboard.
 */
export const GatewayButton = ({
  isOff = false,
  onClick,
  ...button
}: Omit<ButtonHTMLAttributes, 'onClick'> & {
  /** Whether the button does nothing for another reason, such as a request that is under way. */
  isOff?: boolean;
  onClick?: () => void;
}) => {
  const isLost = isConnectionLost.value;
  return (
    <button
      type="button"
      {...button}
      {...(isLost ? { title: texts.value.shell.offWhileLost } : {})}
      aria-disabled={isOff || isLost}
      onClick={(event) => {
        if (!isOff && !isLost) return onClick?.();
        // The click on a submit button would submit the form.
        return event.preventDefault();
      }}
    />
  );
};

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
      <GatewayButton
        class={look}
        isOff={state === 'busy'}
        onClick={() => {
          if (asked === undefined) void run();
          else setAsking(true);
        }}
      >
        {label}
      </GatewayButton>
      <span role="status" class={failure === undefined ? 'fine' : 'error'}>
        {/* While the connection is lost, the notice of the page is the only message about that. */}
        {failure instanceof Unreachable && !isConnectionLost.value && t.form.unreachable}
        {failure instanceof Problem && explain(reasonOf(failure), texts.value.sayings)}
        {state === 'done' && done}
      </span>
      {isAsking && asked !== undefined && (
        <Dialog title={asked.title} onClose={() => setAsking(false)}>
          <p>{asked.text}</p>
          <div class="submit">
            <GatewayButton class={look === 'danger' ? 'danger' : 'primary'} onClick={() => void run()}>
              {label}
            </GatewayButton>
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
