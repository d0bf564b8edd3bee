import type { ComponentChildren } from 'preact';

export type Tone = 'live' | 'fine' | 'calm' | 'warn' | 'bad';

/** A state in one or two words. The tone only underlines what the words say. */
export const Pill = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`pill ${tone}`}>
    <i aria-hidden="true" />
    {children}
  </span>
);
