/** Controls of a call on the web phone. */
import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../language/language.ts';
import { GatewayButton } from '../parts/action.tsx';
import { phone, send, setMuted } from './phone-connection.ts';
import { callSound, toggleMicrophone } from './call-sound.ts';
import { canListen } from './ear.ts';
import { Icon, type IconName } from './icons.tsx';
import type { PhoneTalk } from './phone-state.ts';
import { SayForm } from './say-form.tsx';
import type { Microphone } from './use-microphone.ts';
import { hasVoiceFor, isMuted } from './voice.ts';

const Keypad = () => (
  <div class="keypad" role="group" aria-label={texts.value.phone.keypad}>
    {Array.from('123456789*0#').map((digit) => (
      <GatewayButton
        key={digit}
        isOff={phone.value.online !== 'now'}
        aria-label={texts.value.phone.key(digit)}
        onClick={() => send({ type: 'digit', digit })}
      >
        {digit}
      </GatewayButton>
    ))}
  </div>
);

/** Button for a control. `isPressed` is omitted if the label itself states the current state. */
const ToolButton = ({
  icon,
  label,
  isPressed,
  act,
}: {
  icon: IconName;
  label: string;
  isPressed?: boolean;
  act: () => void;
}) => (
  <button
    type="button"
    class="phone-tool"
    aria-label={label}
    {...(isPressed === undefined ? {} : { 'aria-pressed': isPressed })}
    onClick={act}
  >
    <Icon name={icon} />
  </button>
);

const MuteButton = () => {
  const t = texts.value.phone;
  const [icon, label] = isMuted.value ? (['muted', t.unmute] as const) : (['voice', t.mute] as const);
  return <ToolButton icon={icon} label={label} act={() => setMuted(!isMuted.value)} />;
};

const MicrophoneButton = ({ isOn, toggle }: Pick<Microphone, 'isOn' | 'toggle'>) => {
  const t = texts.value.phone;
  return (
    <ToolButton
      icon="microphone"
      label={isOn ? t.microphoneOff : t.microphone}
      isPressed={isOn}
      act={toggle}
    />
  );
};

/** Button that turns the microphone of a call with audio on or off. */
const SoundButton = () => {
  const { value } = callSound;
  const isOn = value.is === 'on' && value.hears;
  return <MicrophoneButton isOn={isOn} toggle={toggleMicrophone} />;
};

export const TalkTools = ({
  talk: { details, sounding, hasSound },
  microphone,
  field,
}: {
  talk: PhoneTalk;
  microphone: Microphone;
  /** Input field for typed words. */
  field: RefObject<HTMLInputElement | null>;
}) => {
  const t = texts.value.phone;
  const isOffline = phone.value.online !== 'now';
  const [hasKeypad, setKeypad] = useState(false);
  const interrupt = (): void => {
    send({ type: 'speaking', on: true });
    field.current?.focus();
  };
  return (
    <>
      <SayForm language={details.language} field={field} />
      {hasKeypad && <Keypad />}
      <div class="phone-tools" role="group" aria-label={t.title}>
        {sounding !== null && (
          <GatewayButton isOff={isOffline} onClick={interrupt}>
            {t.interrupt}
          </GatewayButton>
        )}
        <ToolButton icon="keypad" label={t.keypad} isPressed={hasKeypad} act={() => setKeypad(!hasKeypad)} />
        {hasSound && <SoundButton />}
        {!hasSound && canListen && <MicrophoneButton {...microphone} />}
        {(hasSound || hasVoiceFor(details.language)) && <MuteButton />}
        <GatewayButton class="hang-up" isOff={isOffline} onClick={() => send({ type: 'hang_up' })}>
          <Icon name="down" />
          {t.hangUp}
        </GatewayButton>
      </div>
    </>
  );
};
