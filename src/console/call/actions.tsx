import { cancelCall, hangUp } from '../api.ts';
import type { Call } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { withKeyOf } from '../known-keys.ts';
import { Action } from '../parts/action.tsx';

/** Ends a call in progress through the client API with the key of its number. */
export const CallActions = ({ call, onDone }: { call: Call; onDone: () => void }) => {
  const t = texts.value.calls.one;
  const end = async (ask: (key: string) => Promise<unknown>): Promise<void> => {
    await withKeyOf(call.number_id, ask);
    onDone();
  };
  if (call.status === 'ringing')
    return <Action key="cancel" label={t.cancel} act={() => end((key) => cancelCall(key, call.id))} />;
  return (
    <>
      <Action
        key="farewell"
        label={t.hangUp}
        done={t.hangUpRequested}
        act={() => end((key) => hangUp(key, call.id, false))}
      />
      <Action
        key="now"
        look="danger"
        label={t.hangUpNow}
        act={() => end((key) => hangUp(key, call.id, true))}
      />
    </>
  );
};
