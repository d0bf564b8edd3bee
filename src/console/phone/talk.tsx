/** A call on the web phone: what is said, and what one can do. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../language/language.ts';
import { clockTime } from '../parts/when.tsx';
import { linkTo } from '../route.ts';
import { phone, putAway, send, setMuted } from './connection.ts';
import { canListen, listen } from './ear.ts';
import { Icon } from './icons.tsx';
import { Keypad } from './keypad.tsx';
import type { PhoneTalk } from './phone-state.ts';
import { SayForm } from './say-form.tsx';
import { mayInterrupt } from './may-interrupt.ts';
import { otherNumber } from './other-number.ts';
import { TalkLines } from './talk-lines.tsx';
import { hasVoiceFor, isMuted } from './voice.ts';

const useSeconds = ({ since, end }: PhoneTalk): number => {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (end !== null) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [end === null]);
  return ((end?.at ?? now) - since) / 1_000;
};

export const Talk = ({ talk }: { talk: PhoneTalk }) => {
  const t = texts.value.phone;
  const { details, end, sounding } = talk;
  const { refusal } = phone.value;
  const other = otherNumber(details);
  const isOn = end === null;
  const field = useRef<HTMLInputElement>(null);
  const done = useRef<HTMLAnchorElement>(null);
  const seconds = useSeconds(talk);
  const [hasKeypad, setKeypad] = useState(false);
  const [isListening, setListening] = useState(false);
  const [hasNoMicrophone, setNoMicrophone] = useState(false);

  useEffect(() => (isOn ? field.current : done.current)?.focus({ preventScroll: true }), [isOn]);
  useEffect(() => {
    if (!isListening || !isOn) return undefined;
    return listen(details.language, {
      begun(words) {
        if (mayInterrupt(words, details.language)) send({ type: 'speaking', on: true });
      },
      said: (text) => send({ type: 'say', text }),
      failed() {
        setListening(false);
        setNoMicrophone(true);
      },
    });
  }, [isListening, isOn]);

  return (
    <section class="talk" aria-label={t.talkWith(other)}>
      <p class="talk-head">
        <a class="digits" href={linkTo('calls', details.call_id)} title={t.details}>
          {other}
        </a>
        <span class={`talk-time digits ${isOn ? 'live' : ''}`}>{clockTime(seconds)}</span>
      </p>
      <TalkLines talk={talk} />
      <p role="status" class={isOn ? 'error' : 'hint'}>
        {end !== null && t.ended[end.reason]}
        {isOn && hasNoMicrophone && t.microphoneFailed}
        {isOn && refusal !== null && t.refused[refusal]}
      </p>
      {isOn ? (
        <>
          <SayForm language={details.language} field={field} />
          {hasKeypad && <Keypad />}
          <div class="phone-tools" role="group" aria-label={t.title}>
            {sounding !== null && (
              <button
                type="button"
                onClick={() => {
                  send({ type: 'speaking', on: true });
                  field.current?.focus();
                }}
              >
                {t.interrupt}
              </button>
            )}
            <button
              type="button"
              class="phone-tool"
              aria-label={t.keypad}
              aria-pressed={hasKeypad}
              onClick={() => setKeypad(!hasKeypad)}
            >
              <Icon name="keypad" />
            </button>
            {canListen && (
              <button
                type="button"
                class="phone-tool"
                aria-label={isListening ? t.microphoneOff : t.microphone}
                aria-pressed={isListening}
                onClick={() => setListening(!isListening)}
              >
                <Icon name="microphone" />
              </button>
            )}
            {hasVoiceFor(details.language) && (
              <button
                type="button"
                class="phone-tool"
                aria-label={isMuted.value ? t.unmute : t.mute}
                onClick={() => setMuted(!isMuted.value)}
              >
                <Icon name={isMuted.value ? 'muted' : 'voice'} />
              </button>
            )}
            <button type="button" class="hang-up" onClick={() => send({ type: 'hang_up' })}>
              <Icon name="down" />
              {t.hangUp}
            </button>
          </div>
        </>
      ) : (
        <div class="buttons">
          <a ref={done} class="button primary" href={linkTo('calls', details.call_id)} onClick={putAway}>
            {t.details}
          </a>
          <button type="button" onClick={putAway}>
            {t.done}
          </button>
        </div>
      )}
    </section>
  );
};
