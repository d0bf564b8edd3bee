/**
 * The far end of the sound, heard and sent to: the address of the session description, until sound comes from
 * somewhere else. Behind a translation of addresses a telephone does not know where it is (symmetric RTP, RFC 4961).
 *
 * Who is heard first is believed, until sound comes from the address that was agreed on, or until it has been silent for
 * a while: so a stranger who guesses the port neither takes a call over nor talks into it.
 */
import type { Address } from '../thread/sound-thread-messages.ts';

export type Remote = {
  agreedOn(address: Address): void;
  /** Whether what comes from there at this monotonic time, in milliseconds, is the other party's. */
  admits(from: Address, at: number): boolean;
  address(): Address;
};

const silentMs = 500;

const isSame = (one: Address, other: Address): boolean =>
  one.port === other.port && one.address === other.address;

export const createRemote = (): Remote => {
  let agreed: Address = { address: '0.0.0.0', port: 0 };
  let heard: (Address & { at: number }) | null = null;

  return {
    agreedOn(address) {
      // A description that says what the last one said (a session refresh) forgets nothing.
      if (isSame(address, agreed)) return;
      agreed = address;
      heard = null;
    },
    admits(from, at) {
      const isAdmitted =
        heard === null || isSame(heard, from) || isSame(agreed, from) || at - heard.at > silentMs;
      if (isAdmitted) heard = { address: from.address, port: from.port, at };
      return isAdmitted;
    },
    address: () => heard ?? agreed,
  };
};
