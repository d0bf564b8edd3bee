/** The requests that the built-in agent may make in its own call. Each rejects with a Refusal; the call goes on then. */
export type OwnCall = {
  hangUp: HangUp;
  pressKeys: PressKeys;
};

/** The same request as the API's (guides/design/wire.md, "Hang-up"). */
export type HangUp = (callId: string, how: { immediate: boolean }) => Promise<void>;

/**
 * Keys of the telephone: 0–9, *, #, A–D, and w for a pause. Refuses with `call_not_active` when nobody would hear
 * them.
 */
export type PressKeys = (callId: string, keys: string) => Promise<void>;
