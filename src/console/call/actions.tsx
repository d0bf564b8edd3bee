/** Actions that end a call in progress, and the link that repeats a finished one. */
import { anonymous } from '#src/domain/caller-identity.ts';
import { cancelCall, hangUp } from '../api.ts';
import type { Call } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { withKeyOf } from '../known-keys.ts';
import { Action } from '../parts/action.tsx';
import { ForAdmins } from '../parts/for-admins.tsx';
import { linkTo } from '../shown-page.ts';

type EndProps = { call: Call; onDone: () => void };

/** Sends a request of the client API with the key of the call's number. */
const ending = async (
  { call, onDone }: EndProps,
  ask: (key: string, callId: string) => Promise<unknown>,
): Promise<void> => {
  await withKeyOf(call.number_id, (key) => ask(key, call.id));
  onDone();
};

export const StopRinging = (props: EndProps) => (
  <Action look="danger" label={texts.value.calls.one.cancel} act={() => ending(props, cancelCall)} />
);

export const HangUp = (props: EndProps) => {
  const t = texts.value.calls.one;
  return (
    <Action
      look="danger"
      label={t.hangUp}
      done={t.hangUpRequested}
      act={() => ending(props, (key, id) => hangUp(key, id, false))}
    />
  );
};

export const EndAtOnce = (props: EndProps) => (
  <Action
    look="danger"
    label={texts.value.calls.one.hangUpNow}
    act={() => ending(props, (key, id) => hangUp(key, id, true))}
  />
);

/** Link to the form for a new call, filled in from a finished one. Erased and withheld numbers cannot be called. */
export const CallAgain = ({ call }: { call: Call }) => {
  const t = texts.value.calls.one;
  if (call.counterparty === anonymous || call.erased_at !== undefined) return null;
  return (
    <ForAdmins>
      <a class="button" href={`${linkTo('place-call')}?again=${call.id}`}>
        {t.again[call.direction]}
      </a>
    </ForAdmins>
  );
};
