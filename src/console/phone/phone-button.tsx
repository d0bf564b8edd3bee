/** Button in the frame that opens and closes the web phone from every page, and stays in place, so that nothing moves. */
import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../language/language.ts';
import { dockShape, takesFocus, togglePhone } from './dock-state.ts';
import { Icon } from './icons.tsx';
import { expectsPhone, phone } from './phone-connection.ts';
import { otherNumber } from './phone-state.ts';

export const PhoneButton = () => {
  if (dockShape.value !== 'nowhere') return <Button />;
  return expectsPhone.value ? <ButtonRoom /> : null;
};

/** Room of the button until the phone is connected, so that the menu below it does not move. */
const ButtonRoom = () => (
  <button type="button" class="phone-button room" disabled aria-hidden="true" tabIndex={-1}>
    <Icon name="handset" />
    <span>{texts.value.phone.title}</span>
  </button>
);

const Button = () => {
  const t = texts.value.phone;
  const { talk } = phone.value;
  const number = dockShape.value === 'folded' && talk !== null ? otherNumber(talk.details) : null;
  const ref = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (takesFocus.value) ref.current?.focus({ preventScroll: true });
    takesFocus.value = false;
  }, [takesFocus.value]);
  return (
    <button
      type="button"
      ref={ref}
      class={number === null ? 'phone-button' : 'phone-button primary'}
      aria-expanded={dockShape.value === 'open'}
      {...(number === null ? {} : { 'aria-label': t.talkWith(number) })}
      onClick={togglePhone}
    >
      <Icon name="handset" />
      <span class="digits">{number ?? t.title}</span>
    </button>
  );
};
