/** Course of a call with the settings of its number, and the same call as a command. */
import type { ComponentChildren } from 'preact';
import { getWorkspace } from '../api.ts';
import type { ListedCallee, PhoneNumber, Trunk, Workspace } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Card } from '../parts/page.tsx';
import { CopyButton } from '../parts/secret.tsx';
import { clockTime } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import { linkTo } from '../shown-page.ts';
import { calleeAt } from './callees.tsx';
import { commandOf, spokenLanguage, type NewCallValues } from './new-call.ts';

type Props = {
  number: PhoneNumber;
  values: NewCallValues;
  /** Callees of the simulated line; null on real lines. */
  callees: readonly ListedCallee[] | null;
  trunks: readonly Trunk[];
};

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const whoAnswers = ({ values: { to }, callees }: Props): string => {
  const t = texts.value.calls.place;
  if (callees === null) return t.realPerson;
  if (to.trim() === '') return t.callees.choose;
  const callee = calleeAt(callees, to);
  return callee === undefined ? t.callees.anybody : t.callees.does(callee);
};

const Agent = ({ number, values }: Props) => {
  const t = texts.value.calls.place;
  const { agent, chat_url: url } = number.agents.outbound;
  const { languages } = texts.value.numbers;
  const name = agent === 'builtin' ? texts.value.numbers.agent.builtin : (url ?? t.noAgent);
  return (
    <Fact name={t.speaks}>
      <a href={linkTo('numbers', number.id, 'outbound')}>{name}</a>
      {` · ${languages[spokenLanguage(values, number)]}`}
    </Fact>
  );
};

const Limits = ({ number, values, workspace }: Props & { workspace: Workspace }) => {
  const t = texts.value.calls.place;
  const typed = Number(values.max_duration_sec.trim());
  const { effective } = workspace;
  const usual = number.default_duration_sec ?? effective.default_duration_sec;
  const isRecorded =
    (number.recording_enabled ?? effective.recording_enabled) &&
    (number.retention_days ?? effective.retention_days).recordings !== 0;
  const { announce } = number.consent ?? effective.consent;
  return (
    <>
      <Fact name={t.lasts}>{t.atMost(clockTime(typed > 0 ? typed : usual))}</Fact>
      <Fact name={texts.value.calls.one.recording}>{isRecorded ? t.recorded : t.notRecorded}</Fact>
      {announce !== null && <Fact name={t.announced}>{announce}</Fact>}
    </>
  );
};

const Way = ({ number, trunks }: Props) => {
  const t = texts.value.calls.place;
  const bound = trunks.find(({ id }) => id === number.trunk_id);
  return (
    <Fact name={texts.value.calls.one.sound.trunk}>
      {bound === undefined ? (
        <a href={linkTo('trunks')}>{t.byPriority}</a>
      ) : (
        <a href={linkTo('trunks', bound.id)}>{bound.name}</a>
      )}
    </Fact>
  );
};

export const WhatHappens = (props: Props) => {
  const t = texts.value.calls.place;
  const { number, values, callees } = props;
  const workspace = usePolled('workspace', getWorkspace).value;
  const command = commandOf(values, location.origin);
  return (
    <div class="place-beside">
      <Card title={t.happens}>
        <dl class="facts">
          <Fact name={t.answers}>{whoAnswers(props)}</Fact>
          <Agent {...props} />
          {callees === null && <Way {...props} />}
          {workspace !== undefined && <Limits {...props} workspace={workspace} />}
          <Fact name={t.costs}>{callees === null ? t.costsMoney : t.costsNothing}</Fact>
        </dl>
      </Card>
      <Card title={t.command} beside={<CopyButton read={() => command} />}>
        <pre tabIndex={0}>{command}</pre>
        <p class="hint">
          {t.commandKey} <a href={linkTo('numbers', number.id)}>{texts.value.numbers.key.title}</a>
        </p>
      </Card>
    </div>
  );
};
