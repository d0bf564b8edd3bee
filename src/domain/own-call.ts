/** Requests of the built-in agent for its own call. Each request may reject with a Refusal; the call continues then. */
export type OwnCall = {
  hangUp: HangUp;
  pressKeys: PressKeys;
};

/** Hangs up like the API's request (guides/design/wire.md, "Hang-up"). */
export type HangUp = (callId: string, how: { immediate: boolean }) => Promise<void>;

/**
 * Sends DTMF digits: 0–9, *, #, A–D, and w for a pause. Rejects with `call_not_active` before the answer and after the
 * end of the call.
 */
export type PressKeys = (callId: string, keys: string) => Promise<void>;
