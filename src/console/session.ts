/**
 * Who is signed in. The session itself is a cookie that no script can read and all tabs share: what is known here is
 * what the gateway says of it.
 */
import { computed, signal } from '@preact/signals';
import type { AdminToken } from './api/records.ts';

/** Why a sign-in link did not sign in: the code of the refusal. */
export type LinkRefusal = string;

export type Session =
  /** The gateway was not asked yet. */
  | { is: 'unknown' }
  | { is: 'nobody'; refusedLink: LinkRefusal | null }
  | { is: 'signed-in'; as: AdminToken }
  /** The gateway does not accept it any more: what is on the screen stays, and waits for another one. */
  | { is: 'over'; as: AdminToken };

const current = signal<Session>({ is: 'unknown' });

export const session = computed(() => current.value);

/** Null until it is known. */
export const admin = computed(() => ('as' in current.value ? current.value.as : null));

/** A viewer sees no button that would be refused. */
export const mayChange = computed(() => admin.value?.role === 'admin');

let signIns = 0;

/** By which a request knows whether somebody has signed in after it was sent. */
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

/** `signIn` is the sign-in of the request that was refused: another one may have come meanwhile. */
export const isOver = (signIn: number): void => {
  if (current.value.is === 'signed-in' && signIn === signIns)
    current.value = { is: 'over', as: current.value.as };
};

/** Resolves when somebody has signed in again. */
export const signedInAgain = (): Promise<void> =>
  current.value.is === 'over' ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
