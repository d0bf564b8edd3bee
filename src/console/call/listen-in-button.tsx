import { getNumber } from '../api.ts';
import type { Call } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { ForAdmins } from '../parts/for-admins.tsx';
import { usePolled } from '../polled.ts';
import { useListenIn, type Listening } from './listen-in.ts';

const isOn = (state: Listening): boolean => state !== 'off' && state !== 'lost' && state !== 'unheard';

const Button = ({ callId }: { callId: string }) => {
  const t = texts.value.calls.one.listenIn;
  const { state, begin, end } = useListenIn(callId);
  return (
    <span class="action">
      <button type="button" aria-pressed={isOn(state)} onClick={isOn(state) ? end : begin}>
        {t.listen}
      </button>
      <span role="status" class={state === 'lost' || state === 'unheard' ? 'error' : 'fine'}>
        {state !== 'off' && t.state[state]}
      </span>
    </span>
  );
};

/** Shown for an answered call whose number allows admins to listen in. */
export const ListenInButton = ({ call }: { call: Call }) => {
  const number = usePolled(`listen-in/${call.number_id}`, () => getNumber(call.number_id)).value;
  if (call.status !== 'active' || number === undefined || number.listen_in === 'off') return null;
  return (
    <ForAdmins>
      <Button callId={call.id} />
    </ForAdmins>
  );
};
