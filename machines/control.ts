/**
 * The controls of a reply: what an agent that only writes text has done by a mark in it (guides/design/agents.md,
 * "Controls"). A control acts when what stands before it was heard, and becomes the request that a program would make.
 */
import type { CollectedKeys, CollectRequest, KeysWanted } from './collected-keys.ts';
import { transfersInVain, type History, type TransferWanted, type TransferWish } from './transfer.ts';

export type Control =
  | { act: 'hang_up' }
  | { act: 'press_keys'; keys: string }
  | { act: 'collect_keys'; wanted: KeysWanted }
  | { act: 'transfer'; transfer: TransferWanted }
  /** BCP 47, for the recognizer and the voice. */
  | { act: 'change_language'; language: string };

/** The same requests to the call as those of its API, but for a transfer, of which it is found out first whether it may be. */
export type ControlRequest =
  | { type: 'hangup.requested'; immediate: false; isFinal?: false }
  | { type: 'keys.requested'; keys: string }
  | CollectRequest
  | TransferWish
  | LanguageRequest;

/** From now on the other party is heard in this language, and spoken to in it. */
export type LanguageRequest = { type: 'language.requested'; language: string };

/** A control that acts when so many of the utterances that have not been heard yet were. */
export type WaitingControl = { behind: number; control: Control };

/**
 * So many transfers may come to nothing before the other party has said something more: an agent that answers each of
 * them with the next one would go on for ever.
 */
const mostTransfersInVain = 3;

const requestOf = (control: Control): ControlRequest => {
  switch (control.act) {
    case 'hang_up':
      return { type: 'hangup.requested', immediate: false };
    case 'collect_keys':
      return { type: 'collect.requested', wanted: control.wanted };
    case 'transfer':
      return { type: 'transfer.wanted', wanted: control.transfer };
    case 'change_language':
      return { type: 'language.requested', language: control.language };
    // Pressing keys, the only one that is left.
    default:
      return { type: 'keys.requested', keys: control.keys };
  }
};

/** The requests of controls that are due. `messages` is the history of the call. */
export const requestsOf = (due: readonly Control[], messages: History): ControlRequest[] =>
  due
    .filter(({ act }) => act !== 'transfer' || transfersInVain(messages) < mostTransfersInVain)
    .map(requestOf);

const languageIn = (controls: readonly Control[]): string | null =>
  controls.findLast((control) => control.act === 'change_language')?.language ?? null;

/** The language of the call when these have acted; null while it is the one that the call began with. */
export const languageAfter = (due: readonly Control[], before: string | null): string | null =>
  languageIn(due) ?? before;

/**
 * What is said now is heard behind controls that wait, and so in the language of the last of them. Null where none of
 * them changes it. `place` counts the utterances that were not heard yet, from 1.
 */
export const languageBehind = (waiting: readonly WaitingControl[], place: number): string | null =>
  languageIn(waiting.filter(({ behind }) => behind < place).map(({ control }) => control));

const secretOf = (control: Control): KeysWanted | null =>
  control.act === 'collect_keys' && control.wanted.secret ? control.wanted : null;

/** Secret keys that the agent waits for, or is about to ask for; null where there are none. */
export const secretWanted = ({
  collected,
  controls,
}: {
  collected: CollectedKeys | null;
  controls: readonly WaitingControl[];
}): KeysWanted | null => {
  if (collected?.wanted.secret === true) return collected.wanted;
  return controls.map(({ control }) => secretOf(control)).find((wanted) => wanted !== null) ?? null;
};

/**
 * What the line's report of an utterance means for those that wait: which act now, and which wait on. Of an utterance
 * that was stopped nothing is done that was to follow it.
 */
export const withHeardUtterance = (
  waiting: readonly WaitingControl[],
  { whole }: { whole: boolean },
): { due: Control[]; waiting: WaitingControl[] } => {
  if (!whole) return { due: [], waiting: [] };
  const counted = waiting.map(({ behind, control }) => ({ behind: behind - 1, control }));
  return {
    due: counted.filter(({ behind }) => behind <= 0).map(({ control }) => control),
    waiting: counted.filter(({ behind }) => behind > 0),
  };
};
