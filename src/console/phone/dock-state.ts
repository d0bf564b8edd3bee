/** Whether the web phone is open beside the page, folded, or away behind its button. */
import { computed, signal } from '@preact/signals';
import { phone, putAway } from './phone-connection.ts';

/** Somebody has opened it; a call opens it by itself. */
const isOpened = signal(false);

/** A call that is on may be folded, to see more of the page. */
const folded = signal<string | null>(null);

export type DockShape = 'nowhere' | 'button' | 'folded' | 'open';

export const dockShape = computed((): DockShape => {
  const { online, ringing, dialling, talk } = phone.value;
  if (online === 'never') return 'nowhere';
  const inCall = talk !== null && talk.end === null;
  if (inCall && folded.value === talk.details.call_id) return 'folded';
  const isUsed = ringing.length > 0 || dialling !== null || talk !== null;
  return isUsed || isOpened.value ? 'open' : 'button';
});

/** The button gets the focus where the phone had it, so that who uses the keyboard is not thrown to the top. */
export const takesFocus = signal(false);

const noteFocus = (): void => {
  takesFocus.value = document.activeElement?.closest('.phone') != null;
};

export const openPhone = (): void => {
  folded.value = null;
  isOpened.value = true;
};

export const foldPhone = (callId: string): void => {
  noteFocus();
  isOpened.value = false;
  folded.value = callId;
};

/** Also puts a call away that is over. */
export const closePhone = (): void => {
  noteFocus();
  isOpened.value = false;
  putAway();
};
