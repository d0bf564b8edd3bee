/** A call on the web phone: what is said, and what one can do. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../language/language.ts';
import { clockTime } from '../parts/when.tsx';
import { linkTo } from '../shown-page.ts';
import { phone, putAway } from './phone-connection.ts';
import { otherNumber, type PhoneTalk } from './phone-state.ts';
import { TalkLines } from './talk-lines.tsx';
import { TalkTools } from './talk-tools.tsx';
import { useMicrophone } from './use-microphone.ts';

const useSeconds = ({ since, end }: PhoneTalk): number => {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (end !== null) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [end === null]);
  return ((end?.at ?? now) - since) / 1_000;
};

const TalkHead = ({ talk }: { talk: PhoneTalk }) => (
  <p class="talk-head">
    <a class="digits" href={linkTo('calls', talk.details.call_id)} title={texts.value.phone.details}>
      {otherNumber(talk.details)}
    </a>
    <span class={`talk-time digits ${talk.end === null ? 'live' : ''}`}>{clockTime(useSeconds(talk))}</span>
  </p>
);

/** What became of the call, or what is wrong with it. */
const TalkStatus = ({ end, hasNoMicrophone }: { end: PhoneTalk['end']; hasNoMicrophone: boolean }) => {
  const t = texts.value.phone;
  const { refusal } = phone.value;
  if (end !== null)
    return (
      <p role="status" class="hint">
        {t.ended[end.reason]}
      </p>
    );
  return (
    <p role="status" class="error">
      {hasNoMicrophone && t.microphoneFailed}
      {refusal !== null && t.refused[refusal]}
    </p>
  );
};

/** What one can do when the call is over. */
const AfterTalk = ({ callId }: { callId: string }) => {
  const t = texts.value.phone;
  const details = useRef<HTMLAnchorElement>(null);
  useEffect(() => details.current?.focus({ preventScroll: true }), []);
  return (
    <div class="buttons">
      <a ref={details} class="button primary" href={linkTo('calls', callId)} onClick={putAway}>
        {t.details}
      </a>
      <button type="button" onClick={putAway}>
        {t.done}
      </button>
    </div>
  );
};

export const Talk = ({ talk }: { talk: PhoneTalk }) => {
  const { details, end } = talk;
  const isOn = end === null;
  const field = useRef<HTMLInputElement>(null);
  const microphone = useMicrophone(details.language, isOn);
  useEffect(() => field.current?.focus({ preventScroll: true }), [isOn]);
  return (
    <section class="talk" aria-label={texts.value.phone.talkWith(otherNumber(details))}>
      <TalkHead talk={talk} />
      <TalkLines talk={talk} />
      <TalkStatus end={end} hasNoMicrophone={microphone.hasFailed} />
      {isOn ? (
        <TalkTools talk={talk} microphone={microphone} field={field} />
      ) : (
        <AfterTalk callId={details.call_id} />
      )}
    </section>
  );
};
