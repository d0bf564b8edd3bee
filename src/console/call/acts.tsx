/**
 * Actions in a call in progress: transfer the call, send DTMF digits, say words, collect digits. The part also shows
 * the last transfer. The actions use the client API with the key of the call's number, so a viewer sees only the
 * transfer.
 */
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Call, Transfer } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { mayChange } from '../session.ts';
import { CollectForm, KeysForm, SayForm } from './act-forms.tsx';
import { TransferForm } from './transfer-form.tsx';
import { takeTransferBack } from '../api.ts';
import { withKeyOf } from '../known-keys.ts';
import { Action, GatewayButton } from '../parts/action.tsx';
import { Pill, type Tone } from '../parts/pill.tsx';
import { useNow } from '../parts/use-now.ts';
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

const acts = ['transfer', 'keys', 'say', 'collect'] as const;

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

type FormProps = { call: Call; onDone: () => void };

const forms: Record<Act, (props: FormProps) => JSX.Element> = {
  transfer: TransferForm,
  keys: KeysForm,
  say: SayForm,
  collect: CollectForm,
};

/** A button for each action, which opens the action's form below. */
const ActBar = ({ call, onTransfer }: { call: Call; onTransfer: () => void }) => {
  const t = texts.value.calls.one.acts;
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<Act | null>(null);
  const possible = actsIn(call);
  const open = chosen !== null && possible.includes(chosen) ? chosen : null;
  const Form = open === null ? null : forms[open];

  useEffect(() => panel.current?.querySelector<HTMLElement>('input, textarea')?.focus(), [open]);

  const fold = (): void => {
    setChosen(null);
    document.getElementById(`${id}-${open}`)?.focus();
  };

  return (
    <>
      <div class="buttons" role="group" aria-label={t.title}>
        {possible.map((act) => (
          <GatewayButton
            key={act}
            id={`${id}-${act}`}
            aria-expanded={act === open}
            aria-controls={act === open ? `${id}-form` : undefined}
            onClick={() => setChosen(act === open ? null : act)}
          >
            {t.open[act]}
          </GatewayButton>
        ))}
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
            onDone={() => {
              fold();
              onTransfer();
            }}
          />
        </div>
      )}
    </>
  );
};

export const CallActs = ({ call, onDone }: { call: Call; onDone: () => void }) => {
  if (call.status !== 'active') return null;
  const { transfer } = call;
  const hasActs = mayChange.value && actsIn(call).length > 0;
  if (transfer === null && !hasActs) return null;
  return (
    <section class="card acts" aria-label={texts.value.calls.one.acts.title}>
      {transfer !== null && <TransferLine call={call} transfer={transfer} onDone={onDone} />}
      {hasActs && <ActBar call={call} onTransfer={onDone} />}
    </section>
  );
};
