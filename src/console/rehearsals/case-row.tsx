/** The result of a case: its failures with the words around them. */
import { useState } from 'preact/hooks';
import { getTranscript } from '../api.ts';
import type { RehearsedCall, RehearsedCase, Turn } from '../api/records.ts';
import { explain } from '../language/explain.ts';
import { rehearsalWords } from '../language/rehearsal-words.ts';
import { texts } from '../language/language.ts';
import { Pill, type Tone } from '../parts/pill.tsx';
import { usePolled } from '../polled.ts';
import { linkTo } from '../shown-page.ts';

const tones: Readonly<Record<RehearsedCase['outcome'], Tone>> = {
  passed: 'fine',
  flaky: 'warn',
  failed: 'bad',
};

const mostTurns = 12;
const turnsAround = 2;

/** Returns the turns around a failure, or the last ones for a failure that concerns no turn. */
const around = (turns: readonly Turn[], failed: number | null): { turn: Turn; isFailed: boolean }[] => {
  const first = failed === null ? Math.max(0, turns.length - mostTurns) : Math.max(0, failed - turnsAround);
  const end = failed === null ? turns.length : failed + turnsAround + 1;
  return turns.slice(first, end).map((turn, index) => ({ turn, isFailed: first + index === failed }));
};

const Words = ({ callId, failed }: { callId: string; failed: number | null }) => {
  const t = rehearsalWords.value;
  const { value: turns, problem } = usePolled(callId, () => getTranscript(callId));
  if (problem === undefined && turns === undefined) return <p class="hint">{texts.value.shell.loading}</p>;
  const shown = around(turns ?? [], failed);
  if (shown.length === 0) return <p class="hint">{t.noWords}</p>;
  return (
    <ol class="said">
      {shown.map(({ turn, isFailed }) => (
        <li key={turn.sequence} class={isFailed ? 'failed' : ''}>
          <b>{t.speaker[turn.role]}</b> {turn.text}
        </li>
      ))}
    </ol>
  );
};

/** A failed call. Its words are loaded on request. */
const FailedCall = ({ run }: { run: RehearsedCall }) => {
  const t = rehearsalWords.value;
  const [isOpen, setOpen] = useState(false);
  const { call_id: callId, failures } = run;
  const failed = failures.find(({ turn }) => turn !== null)?.turn ?? null;
  return (
    <li class="failed-call">
      {failures.map(({ message }) => (
        <p key={message} class="error">
          {explain(message, t.failures)}
        </p>
      ))}
      <ModelWords run={run} />
      {callId !== null && (
        <p class="buttons">
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {t.around}
          </button>
          <a href={linkTo('calls', callId)}>{t.call}</a>
        </p>
      )}
      {isOpen && callId !== null && <Words callId={callId} failed={failed} />}
    </li>
  );
};

/** The verdicts of the language model on a call, and the end of its persona. */
const ModelWords = ({ run: { verdicts, persona } }: { run: RehearsedCall }) => {
  const t = rehearsalWords.value;
  return (
    <>
      {verdicts.map(({ statement, holds, reason }) => (
        <p key={statement} class="hint">
          “{statement}” {holds ? t.holds : t.holdsNot}: {reason}
        </p>
      ))}
      {persona !== null && (
        <p class="hint">
          {t.persona[persona.outcome]}: {persona.reason}
        </p>
      )}
    </>
  );
};

export const CaseRow = ({ of: one }: { of: RehearsedCase }) => {
  const t = rehearsalWords.value;
  const { name, outcome, passed, runs, took_sec: tookSec } = one;
  const failed = runs.filter(({ failures }) => failures.length > 0);
  const [first] = runs;
  return (
    <li class="row case-row">
      <span class="row-main">
        <b>{name}</b>
        <small>
          {[
            ...(runs.length === 1 ? [] : [t.passedOf(passed, runs.length)]),
            t.seconds(tookSec.toFixed(1)),
          ].join(' · ')}
        </small>
        {failed.length === 0 && first !== undefined && <ModelWords run={first} />}
        {failed.length > 0 && (
          <ul>
            {failed.map((run, index) => (
              <FailedCall key={run.call_id ?? index} run={run} />
            ))}
          </ul>
        )}
      </span>
      <span class="row-end">
        <Pill tone={tones[outcome]}>{t.outcome[outcome]}</Pill>
      </span>
    </li>
  );
};
