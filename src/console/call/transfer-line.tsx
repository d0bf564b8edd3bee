/** The last transfer of a call in progress: the person rung or connected, and since when. */
import { takeTransferBack } from '../api.ts';
import type { Call, Transfer } from '../api/records.ts';
import { withKeyOf } from '../known-keys.ts';
import { texts } from '../language/language.ts';
import { Action } from '../parts/action.tsx';
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
export const isUnderWay = ({ status }: Pick<Transfer, 'status'>): boolean =>
  status === 'requested' || status === 'ringing' || status === 'briefing';

const sinceOf = ({ status, started_at: startedAt, connected_at: connectedAt }: Transfer): string | null =>
  status === 'failed' || status === 'returned' ? null : (connectedAt ?? startedAt);

const Since = ({ at }: { at: string }) => (
  <span class="digits" role="timer" aria-label={texts.value.calls.one.acts.since}>
    {clockTime((useNow(true) - Date.parse(at)) / 1_000)}
  </span>
);

export const TransferLine = ({
  call,
  transfer,
  onDone,
}: {
  call: Call;
  transfer: Transfer;
  onDone: () => void;
}) => {
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
