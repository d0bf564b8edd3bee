/** The web phone at the edge of every page: small while nothing happens, open when it rings or is used. */
import { useEffect, useState } from 'preact/hooks';
import { texts } from '../language/language.ts';
import { session } from '../session.ts';
import { connectPhone, phone, putAway } from './phone-connection.ts';
import { Dialler } from './dialler.tsx';
import { Icon } from './icons.tsx';
import { otherNumber } from './phone-state.ts';
import { ring } from './ring-tone.ts';
import { RingingCall } from './ringing-call.tsx';
import { Talk } from './talk.tsx';

export const PhoneDock = () => {
  const t = texts.value.phone;
  const { ringing, dialling, talk, isOnline, isThere } = phone.value;
  const [isOpened, setOpened] = useState(false);
  /** A call that is on may be folded, to see the page behind it. */
  const [folded, setFolded] = useState<string | null>(null);
  const signedInAs = session.value.is === 'signed-in' ? session.value.as.id : null;
  useEffect(() => (signedInAs === null ? undefined : connectPhone()), [signedInAs]);

  const inCall = talk !== null && talk.end === null;
  const isRinging = ringing.length > 0 && !inCall;
  useEffect(() => (isRinging ? ring() : undefined), [isRinging]);
  const isFolded = inCall && folded === talk.details.call_id;
  const isOpen = !isFolded && (isOpened || isRinging || dialling !== null || talk !== null);

  if (!isThere) return null;
  return (
    <aside class="phone" aria-label={t.title}>
      <p class="unseen" role="alert">
        {isRinging &&
          ringing.map(({ from, to }) => (from === '' ? t.ringsWithheld(to) : t.rings(from, to))).join(' ')}
      </p>
      {!isOpen && (
        <button
          type="button"
          class={`phone-button ${inCall ? 'primary' : ''}`}
          aria-expanded={false}
          onClick={() => {
            setFolded(null);
            setOpened(!inCall);
          }}
        >
          <Icon name="handset" />
          {inCall ? t.talkWith(otherNumber(talk.details)) : t.title}
        </button>
      )}
      {(isOpen || isFolded) && (
        <div class="phone-body" hidden={isFolded}>
          <header>
            <h2>{t.title}</h2>
            {inCall && (
              <button
                type="button"
                class="phone-tool"
                aria-label={t.fold}
                onClick={() => setFolded(talk.details.call_id)}
              >
                <Icon name="fold" />
              </button>
            )}
            {!inCall && !isRinging && dialling === null && (
              <button
                type="button"
                class="phone-tool"
                aria-label={t.close}
                onClick={() => {
                  setOpened(false);
                  putAway();
                }}
              >
                <Icon name="close" />
              </button>
            )}
          </header>
          {!isOnline && (
            <p class="notice" role="status">
              {t.offline}
            </p>
          )}
          {!inCall && ringing.map((call) => <RingingCall key={call.call_id} call={call} />)}
          {talk !== null && (inCall || !isRinging) && <Talk key={talk.details.call_id} talk={talk} />}
          {!isRinging && talk === null && <Dialler />}
        </div>
      )}
    </aside>
  );
};
