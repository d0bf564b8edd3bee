/**
 * Actions in a call in progress: end it, say words, send and collect DTMF digits, transfer the call, listen. The part
 * also shows the last transfer. The actions use the client API with the key of the call's number, so a viewer sees only
 * the transfer.
 */
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Call, PhoneNumber, Transfer } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { mayChange } from '../session.ts';
import { EndAtOnce, HangUp, StopRinging } from './actions.tsx';
import { CollectForm, KeysForm, SayForm } from './act-forms.tsx';
import { ListenInButton } from './listen-in-button.tsx';
import { TransferForm } from './transfer-form.tsx';
import { getNumber, takeTransferBack } from '../api.ts';
import { withKeyOf } from '../known-keys.ts';
import { Action, GatewayButton } from '../parts/action.tsx';
import { Pill, type Tone } from '../parts/pill.tsx';
import { useNow } from '../parts/use-now.ts';
import { usePolled } from '../polled.ts';
import { clockTime } from '../parts/when.tsx';
import { transferWords } from './transfer-words.ts';

const tones: Record<Transfer['status'], Tone> = {
  requested: 'live',
  ringing: 'live',
  briefing: 'live',
  connected: 'fine',
  failed: 'bad',
  returned: 'calm',
};

/** Whether the transfer is still in progress and can be cancelled. */
const isUnderWay = ({ status }: Pick<Transfer, 'status'>): boolean =>
  status === 'requested' || status === 'ringing' || status === 'briefing';

const sinceOf = ({ status, started_at: startedAt, connected_at: connectedAt }: Transfer): string | null =>
  status === 'failed' || status === 'returned' ? null : (connectedAt ?? startedAt);

const Since = ({ at }: { at: string }) => (
  <span class="digits" role="timer" aria-label={texts.value.calls.one.acts.since}>
    {clockTime((useNow(true) - Date.parse(at)) / 1_000)}
  </span>
);

/** The last transfer of a call in progress: the person who is rung or connected, and since when. */
const TransferLine = ({ call, transfer, onDone }: { call: Call; transfer: Transfer; onDone: () => void }) => {
  const t = texts.value.calls.one.acts;
  const since = sinceOf(transfer);
  return (
    <div class="transfer-line">
      <p role="status">
        <b class="digits">{transfer.to}</b>{' '}
        <Pill tone={tones[transfer.status]}>{transferWords(transfer)}</Pill>{' '}
        <span class="hint">{t.transferring[transfer.status]}</span>
      </p>
      {since !== null && <Since key={since} at={since} />}
      {isUnderWay(transfer) && (
        <Action
          label={t.takeBack}
          done={t.takingBack}
          act={async () => {
            await withKeyOf(call.number_id, (key) => takeTransferBack(key, call.id));
            onDone();
          }}
        />
      )}
    </div>
  );
};

/** Actions with a form, in the order in which they are used most. */
const acts = ['say', 'keys', 'transfer', 'collect'] as const;

type Act = (typeof acts)[number];

/**
 * Returns the available actions. While a person is rung, no second transfer is possible. Once two persons talk, the
 * agent's actions are unavailable.
 */
const actsIn = ({ transfer }: Call): readonly Act[] => {
  if (transfer === null) return acts;
  if (transfer.status === 'connected') return [];
  return isUnderWay(transfer) ? acts.filter((act) => act !== 'transfer') : acts;
};

type FormProps = { call: Call; number: PhoneNumber | undefined; onDone: () => void };

const forms: Record<Act, (props: FormProps) => JSX.Element | null> = {
  say: SayForm,
  keys: KeysForm,
  transfer: TransferForm,
  collect: CollectForm,
};

/** The actions of an answered call: ending it, listening, and buttons that open the form of an action below. */
const ActBar = ({ call, onDone }: { call: Call; onDone: () => void }) => {
  const t = texts.value.calls.one.acts;
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<Act | null>(null);
  const number = usePolled(`acts/${call.number_id}`, () => getNumber(call.number_id)).value;
  const possible = actsIn(call);
  const open = chosen !== null && possible.includes(chosen) ? chosen : null;
  const Form = open === null ? null : forms[open];

  // The form of a transfer appears when the number is loaded.
  const isAwaited = open === 'transfer' && number === undefined;
  useEffect(
    () => panel.current?.querySelector<HTMLElement>('input, textarea, a')?.focus(),
    [open, isAwaited],
  );

  const fold = (): void => {
    setChosen(null);
    document.getElementById(`${id}-${open}`)?.focus();
  };

  const toggle = (act: Act) =>
    possible.includes(act) && (
      <GatewayButton
        key={act}
        id={`${id}-${act}`}
        aria-expanded={act === open}
        aria-controls={act === open ? `${id}-form` : undefined}
        onClick={() => setChosen(act === open ? null : act)}
      >
        {t.open[act]}
      </GatewayButton>
    );

  const [first, ...others] = acts;
  return (
    <>
      <div class="act-bar" role="group" aria-label={t.title}>
        <div class="buttons">
          <HangUp call={call} onDone={onDone} />
          {toggle(first)}
        </div>
        <div class="buttons">
          {others.map(toggle)}
          {number !== undefined && number.listen_in !== 'off' && <ListenInButton callId={call.id} />}
        </div>
        <div class="apart">
          <EndAtOnce call={call} onDone={onDone} />
        </div>
      </div>
      {Form !== null && (
        <div
          key={open}
          ref={panel}
          id={`${id}-form`}
          class="act-form"
          onKeyDown={(event) => {
            if (event.key === 'Escape') fold();
          }}
        >
          <Form
            call={call}
            number={number}
            onDone={() => {
              fold();
              onDone();
            }}
          />
        </div>
      )}
    </>
  );
};

export const CallActs = ({ call, onDone }: { call: Call; onDone: () => void }) => {
  const transfer = call.status === 'active' ? call.transfer : null;
  if (transfer === null && !mayChange.value) return null;
  return (
    <section class="card acts" aria-label={texts.value.calls.one.acts.title}>
      {transfer !== null && <TransferLine call={call} transfer={transfer} onDone={onDone} />}
      {mayChange.value &&
        (call.status === 'ringing' ? (
          <div>
            <StopRinging call={call} onDone={onDone} />
          </div>
        ) : (
          <ActBar call={call} onDone={onDone} />
        ))}
    </section>
  );
};
