/** Requests of the built-in agent for its own call. Each may reject with a Refusal; the call continues. */
export type OwnCall = {
  hangUp: HangUp;
  pressKeys: PressKeys;
};

/** Like the API's request (guides/design/wire.md, "Hang-up"). */
export type HangUp = (callId: string, how: { immediate: boolean }) => Promise<void>;

/**
 * DTMF digits 0–9, *, #, A–D, and w for a pause. Refuses with `call_not_active` before the answer and after the end.
 */
export type PressKeys = (callId: string, keys: string) => Promise<void>;
