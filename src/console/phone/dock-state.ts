/** Whether the web phone is open beside the page, folded, or hidden behind its button. */
import { computed, signal } from '@preact/signals';
import { phone, putAway } from './phone-connection.ts';

/** Whether the user has opened the phone; a call opens it automatically. */
const isOpened = signal(false);

/** The call that is folded, to show more of the page. */
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

/** Moves the focus to the button if the phone had it, so that keyboard users do not lose their place. */
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

/** Also dismisses a finished call. */
export const closePhone = (): void => {
  noteFocus();
  isOpened.value = false;
  putAway();
};
