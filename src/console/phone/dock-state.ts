/** Whether the web phone is open beside the page, folded, or hidden behind its button. */
import { computed, signal } from '@preact/signals';
import { phone, putAway } from './phone-connection.ts';

/** Whether the user has opened the phone. A call opens it automatically. */
const isOpened = signal(false);

/** Id of the call whose phone the user has folded, to see more of the page. */
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

/**
 * Whether the button takes the focus, because the phone had it when it was closed. Keyboard users thereby keep their
 * place.
 */
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

/** Closes the phone and dismisses a finished call. */
export const closePhone = (): void => {
  noteFocus();
  isOpened.value = false;
  putAway();
};

/** Opens the phone; folds or closes an open one, unless a call rings or is being dialled. */
export const togglePhone = (): void => {
  if (dockShape.value !== 'open') return openPhone();
  const { ringing, dialling, talk } = phone.value;
  if (talk !== null && talk.end === null) return foldPhone(talk.details.call_id);
  return ringing.length === 0 && dialling === null ? closePhone() : undefined;
};
