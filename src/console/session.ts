/**
 * The signed-in user. The session is an HttpOnly cookie shared by all tabs, so this state comes from the gateway's
 * responses.
 */
import { computed, signal } from '@preact/signals';
import type { AdminToken } from './api/records.ts';

/** Error code of a failed sign-in link. */
export type LinkRefusal = string;

export type Session =
  /** The gateway was not asked yet. */
  | { is: 'unknown' }
  | { is: 'nobody'; refusedLink: LinkRefusal | null }
  | { is: 'signed-in'; as: AdminToken }
  /** The gateway no longer accepts the session: the page stays visible and waits for another sign-in. */
  | { is: 'over'; as: AdminToken };

const current = signal<Session>({ is: 'unknown' });

export const session = computed(() => current.value);

/** Null until known. */
export const admin = computed(() => ('as' in current.value ? current.value.as : null));

/** Viewers do not see buttons that the gateway would refuse. */
export const mayChange = computed(() => admin.value?.role === 'admin');

let signIns = 0;

/** Lets a request determine whether the user has signed in after it was sent. */
export const signInsUntilNow = (): number => signIns;

let waiting: (() => void)[] = [];

export const isSignedIn = (as: AdminToken): void => {
  signIns += 1;
  current.value = { is: 'signed-in', as };
  const woken = waiting;
  waiting = [];
  for (const wake of woken) wake();
};

export const isNobody = (refusedLink: LinkRefusal | null = null): void => {
  waiting = [];
  current.value = { is: 'nobody', refusedLink };
};

/** `signIn` is the sign-in of the refused request: a newer one may have happened since. */
export const isOver = (signIn: number): void => {
  if (current.value.is === 'signed-in' && signIn === signIns)
    current.value = { is: 'over', as: current.value.as };
};

/** Resolves when the user has signed in again. */
export const signedInAgain = (): Promise<void> =>
  current.value.is === 'over' ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
