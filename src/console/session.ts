/**
 * The signed-in user. The session is an HttpOnly cookie that all tabs share, so this state comes from the gateway's
 * responses.
 */
import { computed, signal } from '@preact/signals';
import type { AdminToken } from './api/records.ts';

/** Error code of a failed sign-in link. */
export type LinkRefusal = string;

export type Session =
  /** State before the first response of the gateway. */
  | { is: 'unknown' }
  | { is: 'nobody'; refusedLink: LinkRefusal | null }
  | { is: 'signed-in'; as: AdminToken }
  /** State when the gateway no longer accepts the session. The page stays visible and waits for another sign-in. */
  | { is: 'over'; as: AdminToken };

const current = signal<Session>({ is: 'unknown' });

export const session = computed(() => current.value);

/** The token of the signed-in admin; null until it is known. */
export const admin = computed(() => ('as' in current.value ? current.value.as : null));

/** Whether the user may change data. Viewers do not see buttons that the gateway would refuse. */
export const mayChange = computed(() => admin.value?.role === 'admin');

let signIns = 0;

/** Returns the number of sign-ins, by which a request determines whether the user has signed in after it was sent. */
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

/**
 * Records that the session was refused. `signIn` is the number of sign-ins when the refused request was sent; a newer
 * sign-in may have happened since.
 */
export const isOver = (signIn: number): void => {
  if (current.value.is === 'signed-in' && signIn === signIns)
    current.value = { is: 'over', as: current.value.as };
};

/** Resolves when the user has signed in again. */
export const signedInAgain = (): Promise<void> =>
  current.value.is === 'over' ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
