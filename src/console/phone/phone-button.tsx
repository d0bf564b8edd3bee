/** Button in the frame that opens the web phone from every page without covering content. */
import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../language/language.ts';
import { dockShape, openPhone, takesFocus } from './dock-state.ts';
import { Icon } from './icons.tsx';
import { phone } from './phone-connection.ts';
import { otherNumber } from './phone-state.ts';

export const PhoneButton = () => {
  const shape = dockShape.value;
  return shape === 'button' || shape === 'folded' ? <Button isInCall={shape === 'folded'} /> : null;
};

const Button = ({ isInCall }: { isInCall: boolean }) => {
  const t = texts.value.phone;
  const { talk } = phone.value;
  const number = isInCall && talk !== null ? otherNumber(talk.details) : null;
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (takesFocus.value) ref.current?.focus({ preventScroll: true });
    takesFocus.value = false;
  }, []);
  return (
    <button
      type="button"
      ref={ref}
      class={number === null ? 'phone-button' : 'phone-button primary'}
      aria-expanded={false}
      {...(number === null ? {} : { 'aria-label': t.talkWith(number) })}
      onClick={openPhone}
    >
      <Icon name="handset" />
      <span class="digits">{number ?? t.title}</span>
    </button>
  );
};
