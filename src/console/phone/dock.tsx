/**
 * The web phone, beside every page, or as a sheet over the page on narrow screens. The web phone is open while a call
 * rings or the phone is in use.
 */
import { useEffect } from 'preact/hooks';
import { isConnectionLost } from '../connection.ts';
import { texts } from '../language/language.ts';
import { Dialler } from './dialler.tsx';
import { closePhone, dockShape, foldPhone } from './dock-state.ts';
import { Icon } from './icons.tsx';
import { phone, answerCall, send } from './phone-connection.ts';
import { ring } from './ring-tone.ts';
import { Talk } from './talk.tsx';
import { anonymous } from '#src/domain/caller-identity.ts';
import type { PhoneCallDetails } from '#src/domain/web-phone.ts';
import { callSound } from './call-sound.ts';
import { NamedTexts } from '../parts/named-texts.tsx';
import { SoundChoice } from './sound-choice.tsx';

const nameOf = ({ from, to }: PhoneCallDetails): string => {
  const t = texts.value.phone;
  return from === anonymous ? t.ringsWithheld(to) : t.rings(from, to);
};

/** Returns a distinct name for each of the calls, several of which may have the same numbers. */
const namesOf = (calls: readonly PhoneCallDetails[]): string[] =>
  calls.map(nameOf).map((name, index, all) => {
    const before = all.slice(0, index).filter((other) => other === name).length;
    return before === 0 ? name : `${name} (${before + 1})`;
  });

const RingingCall = ({ call, name }: { call: PhoneCallDetails; name: string }) => {
  const t = texts.value.phone;
  return (
    <section class="ringing" aria-label={name}>
      <span class="bell">
        <Icon name="handset" />
      </span>
      <p>
        <small>{t.ringing}</small>
        <b class="digits">{call.to}</b>
        <small class="digits">← {call.from === anonymous ? texts.value.calls.withheld : call.from}</small>
      </p>
      {call.sip_headers !== undefined && <NamedTexts texts={call.sip_headers} />}
      <div class="buttons">
        <button
          type="button"
          class="primary"
          disabled={callSound.value.is === 'opening'}
          onClick={() => void answerCall(call.call_id)}
        >
          <Icon name="handset" />
          {t.answer}
        </button>
        <button type="button" class="danger" onClick={() => send({ type: 'decline', call_id: call.call_id })}>
          <Icon name="down" />
          {t.decline}
        </button>
      </div>
      <SoundChoice language={call.language} />
    </section>
  );
};

export const PhoneDock = () => {
  const t = texts.value.phone;
  const { ringing, dialling, talk, online } = phone.value;
  const shape = dockShape.value;

  const inCall = talk !== null && talk.end === null;
  const isRinging = ringing.length > 0 && !inCall;
  const names = namesOf(ringing);
  useEffect(() => (isRinging ? ring() : undefined), [isRinging]);

  if (shape === 'nowhere') return null;
  return (
    <aside class={shape === 'open' ? 'phone open' : 'phone'} aria-label={t.title}>
      <p class="unseen" role="alert">
        {isRinging && names.join(' ')}
      </p>
      {shape !== 'button' && (
        <div class="phone-body" hidden={shape === 'folded'}>
          <header>
            <h2>{t.title}</h2>
            {inCall && <HeadButton name="fold" act={() => foldPhone(talk.details.call_id)} />}
            {!inCall && !isRinging && dialling === null && <HeadButton name="close" act={closePhone} />}
          </header>
          {online !== 'now' && !isConnectionLost.value && (
            <p class="notice" role="status">
              {t.offline}
            </p>
          )}
          {!inCall &&
            ringing.map((call, index) => (
              <RingingCall key={call.call_id} call={call} name={names[index] ?? ''} />
            ))}
          {talk !== null && (inCall || !isRinging) && <Talk key={talk.details.call_id} talk={talk} />}
          {!isRinging && talk === null && <Dialler />}
        </div>
      )}
    </aside>
  );
};

const HeadButton = ({ name, act }: { name: 'fold' | 'close'; act: () => void }) => (
  <button type="button" class="phone-tool" aria-label={texts.value.phone[name]} onClick={act}>
    <Icon name={name} />
  </button>
);
