import type { RefObject } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { texts } from '../language/language.ts';
import { GatewayButton } from '../parts/action.tsx';
import { phone, send } from './phone-connection.ts';
import { mayInterrupt } from './ear.ts';

/** Interval at which a typing user is reported to the gateway as still speaking. */
const stillMs = 5_000;

/** Form for typed words. Typing counts as speaking: text that is more than a backchannel interrupts the agent. */
export const SayForm = ({
  language,
  field,
}: {
  language: string;
  field: RefObject<HTMLInputElement | null>;
}) => {
  const t = texts.value.phone;
  const id = useId();
  const [draft, setDraft] = useState('');
  const speakingAt = useRef<number | null>(null);

  const type = (text: string): void => {
    setDraft(text);
    if (text.trim() === '') {
      if (speakingAt.current !== null) send({ type: 'speaking', on: false });
      speakingAt.current = null;
      return;
    }
    const isNews = speakingAt.current === null || Date.now() - speakingAt.current > stillMs;
    if (!isNews || !mayInterrupt(text, language)) return;
    speakingAt.current = Date.now();
    send({ type: 'speaking', on: true });
  };

  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        const text = draft.trim();
        if (text === '') return;
        send({ type: 'say', text });
        speakingAt.current = null;
        setDraft('');
        field.current?.focus();
      }}
    >
      <label class="unseen" for={id}>
        {t.say}
      </label>
      <input
        id={id}
        ref={field}
        type="text"
        autocomplete="off"
        enterKeyHint="send"
        maxLength={2_000}
        placeholder={t.say}
        value={draft}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <GatewayButton type="submit" class="primary" isOff={phone.value.online !== 'now'}>
        {t.send}
      </GatewayButton>
    </form>
  );
};
