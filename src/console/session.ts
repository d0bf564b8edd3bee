/**
 * The session: who is signed in, and what they may do. The token is kept for this tab alone, and sent to this gateway
 * alone.
 */
import { computed, signal } from '@preact/signals';
import type { AdminToken } from './api/records.ts';

const place = 'trunkline.admin_token';

export const token = signal<string | null>(sessionStorage.getItem(place));

/** Of the token. Null until it is known. */
export const role = signal<AdminToken['role'] | null>(null);

/** A viewer sees no button that would be refused. */
export const mayChange = computed(() => role.value === 'admin');

/** The gateway did not accept the token any more: what is on the screen stays, and waits for another one. */
export const isExpired = signal(false);

let waiting: (() => void)[] = [];

const wakeAll = (): void => {
  const woken = waiting;
  waiting = [];
  for (const wake of woken) wake();
};

export const signIn = (accepted: string): void => {
  sessionStorage.setItem(place, accepted);
  token.value = accepted;
  isExpired.value = false;
  wakeAll();
};

export const signOut = (): void => {
  sessionStorage.removeItem(place);
  token.value = null;
  isExpired.value = false;
  waiting = [];
};

/** `refused` is the token that was sent: another one may have come meanwhile. */
export const expire = (refused: string): void => {
  if (token.value === refused) isExpired.value = true;
};

/** Resolves when somebody has signed in again. */
export const signedInAgain = (): Promise<void> =>
  isExpired.value ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
