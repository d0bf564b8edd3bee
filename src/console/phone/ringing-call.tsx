import { anonymous } from '#src/domain/caller-identity.ts';
import type { PhoneCallDetails } from '#src/domain/web-phone.ts';
import { texts } from '../language/language.ts';
import { callSound } from './call-sound.ts';
import { answerCall, send } from './phone-connection.ts';
import { NamedTexts } from '../parts/named-texts.tsx';
import { Icon } from './icons.tsx';
import { SoundChoice } from './sound-choice.tsx';

export const RingingCall = ({ call }: { call: PhoneCallDetails }) => {
  const t = texts.value.phone;
  return (
    <section
      class="ringing"
      aria-label={call.from === anonymous ? t.ringsWithheld(call.to) : t.rings(call.from, call.to)}
    >
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
