/** A call on the web phone: transcript and controls. */
import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../language/language.ts';
import { useNow } from '../parts/use-now.ts';
import { clockTime } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import { linkTo } from '../shown-page.ts';
import { microphoneProblem, callSound } from './call-sound.ts';
import { closePhone } from './dock-state.ts';
import { noteRecalled, phone } from './phone-connection.ts';
import { recall } from './recall.ts';
import { otherNumber, type PhoneTalk } from './phone-state.ts';
import { NotUnderstood } from './sound-choice.tsx';
import { TalkLines } from './talk-lines.tsx';
import { TalkTools } from './talk-tools.tsx';
import { useMicrophone } from './use-microphone.ts';
import type { SoundDevice } from './sound-device.ts';

/** Level in decibels below which audio is inaudible. The meters use decibels, like human hearing. */
const quietestDb = -60;

const meterValue = (level: number): number =>
  Math.max(0, Math.min(1, 1 - (20 * Math.log10(level + Number.EPSILON)) / quietestDb));

/** Meters of both sides, which show that the user is heard and that the agent speaks. */
const SoundLevels = () => {
  const { value } = callSound;
  return value.is === 'on' ? <Levels device={value.device} /> : null;
};

const Levels = ({ device }: { device: SoundDevice }) => {
  const t = texts.value.phone;
  const microphone = useRef<HTMLMeterElement>(null);
  const speaker = useRef<HTMLMeterElement>(null);
  useEffect(() => {
    let frame = 0;
    const show = (): void => {
      const levels = device.levels();
      if (microphone.current !== null) microphone.current.value = meterValue(levels.microphone);
      if (speaker.current !== null) speaker.current.value = meterValue(levels.speaker);
      frame = requestAnimationFrame(show);
    };
    show();
    return () => cancelAnimationFrame(frame);
  }, [device]);
  return (
    <div class="sound-levels">
      <span aria-hidden="true">{t.me}</span>
      <meter ref={microphone} aria-label={t.microphoneLevel} min={0} max={1} />
      <span aria-hidden="true">{t.agent}</span>
      <meter ref={speaker} aria-label={t.speakerLevel} min={0} max={1} />
    </div>
  );
};

const useSeconds = ({ since, end }: PhoneTalk): number => {
  const now = useNow(end === null);
  return ((end?.at ?? now) - since) / 1_000;
};

/** Loads the earlier words and the start time of a call that began before the page was loaded. */
const useRecalled = ({ details, isBroken }: PhoneTalk): void => {
  const recalled = usePolled(isBroken ? `recall/${details.call_id}` : '', async () =>
    isBroken ? recall(details.call_id) : undefined,
  ).value;
  useEffect(() => {
    if (recalled !== undefined) noteRecalled(recalled);
  }, [recalled]);
};

const TalkHead = ({ talk }: { talk: PhoneTalk }) => (
  <p class="talk-head">
    <a class="digits" href={linkTo('calls', talk.details.call_id)} title={texts.value.phone.details}>
      {otherNumber(talk.details)}
    </a>
    <span class={`talk-time digits ${talk.end === null ? 'live' : ''}`}>{clockTime(useSeconds(talk))}</span>
  </p>
);

/** Result of a finished call, or the problem of a current one. */
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
      {microphoneProblem.value !== null && t.microphoneProblem[microphoneProblem.value]}
      {refusal !== null && t.refused[refusal]}
    </p>
  );
};

/**
 * Delay in milliseconds after which a phone with a finished call closes, counted from the last pointer movement or
 * keystroke in it.
 */
const lingerMs = 8_000;

const useGoingAway = (endedAt: number): { touch: () => void } => {
  const touchedAt = useRef(endedAt);
  const now = useNow(true);
  useEffect(() => {
    if (now - touchedAt.current >= lingerMs) closePhone();
  }, [now]);
  return { touch: () => (touchedAt.current = Date.now()) };
};

/** Actions after the end of the call. */
const AfterTalk = ({ callId, endedAt }: { callId: string; endedAt: number }) => {
  const t = texts.value.phone;
  const details = useRef<HTMLAnchorElement>(null);
  useEffect(() => details.current?.focus({ preventScroll: true }), []);
  const { touch } = useGoingAway(endedAt);
  return (
    <div class="buttons" onPointerMove={touch} onKeyDown={touch}>
      <a ref={details} class="button primary" href={linkTo('calls', callId)} onClick={closePhone}>
        {t.details}
      </a>
      <button type="button" onClick={closePhone}>
        {t.done}
      </button>
    </div>
  );
};

export const Talk = ({ talk }: { talk: PhoneTalk }) => {
  const { details, end } = talk;
  useRecalled(talk);
  const isOn = end === null;
  const field = useRef<HTMLInputElement>(null);
  const microphone = useMicrophone(details.language, isOn);
  useEffect(() => field.current?.focus({ preventScroll: true }), [isOn]);
  return (
    <section class="talk" aria-label={texts.value.phone.talkWith(otherNumber(details))}>
      <TalkHead talk={talk} />
      <TalkLines talk={talk} />
      {isOn && talk.hasSound && <SoundLevels />}
      {isOn && talk.hasSound && <NotUnderstood language={details.language} />}
      <TalkStatus end={end} hasNoMicrophone={microphone.hasFailed} />
      {end === null ? (
        <TalkTools talk={talk} microphone={microphone} field={field} />
      ) : (
        <AfterTalk callId={details.call_id} endedAt={end.at} />
      )}
    </section>
  );
};
