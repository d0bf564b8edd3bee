/**
 * Controls of a reply: actions that a text-only agent requests by marks in its text (guides/design/agents.md,
 * "Controls"). A control is executed after the words before it were heard, as the request that a program would make.
 */
import type { CollectedKeys, CollectRequest, KeysWanted } from './collected-keys.ts';
import { transfersInVain, type History, type TransferWanted, type TransferWish } from './transfer.ts';

export type Control =
  | { act: 'hang_up' }
  | { act: 'press_keys'; keys: string }
  | { act: 'collect_keys'; wanted: KeysWanted }
  | { act: 'transfer'; transfer: TransferWanted }
  /** Changes the language of recognition and synthesis to a BCP 47 tag. */
  | { act: 'change_language'; language: string };

/**
 * Requests that a control makes: those of the API, except that a transfer is first checked against the number's policy.
 */
export type ControlRequest =
  | { type: 'hangup.requested'; immediate: false; isFinal?: false }
  | { type: 'keys.requested'; keys: string }
  | CollectRequest
  | TransferWish
  | LanguageRequest;

/** Changes the language of recognition and synthesis. */
export type LanguageRequest = { type: 'language.requested'; language: string };

/** A control that waits until `behind` unheard utterances were heard. */
export type WaitingControl = { behind: number; control: Control };

/**
 * Maximum number of failed transfers between two turns of the other party. This maximum prevents an endless loop of an
 * agent that answers each failure with another transfer.
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
    // The only remaining control is `keys`.
    default:
      return { type: 'keys.requested', keys: control.keys };
  }
};

/**
 * Returns the requests of due controls. `messages` is the history of the call, in which failed transfers are counted.
 */
export const requestsOf = (due: readonly Control[], messages: History): ControlRequest[] =>
  due
    .filter(({ act }) => act !== 'transfer' || transfersInVain(messages) < mostTransfersInVain)
    .map(requestOf);

const languageIn = (controls: readonly Control[]): string | null =>
  controls.findLast((control) => control.act === 'change_language')?.language ?? null;

/** Returns the language of the call after these controls; null while it is the initial one. */
export const languageAfter = (due: readonly Control[], before: string | null): string | null =>
  languageIn(due) ?? before;

/**
 * Returns the language of a new utterance: that of the last language change before it that still waits, or null.
 * `place` is the utterance's position among the unheard ones, counted from 1.
 */
export const languageBehind = (waiting: readonly WaitingControl[], place: number): string | null =>
  languageIn(waiting.filter(({ behind }) => behind < place).map(({ control }) => control));

const secretOf = (control: Control): KeysWanted | null =>
  control.act === 'collect_keys' && control.wanted.secret ? control.wanted : null;

/** Returns the secret digits that the agent collects or is about to ask for; null if there are none. */
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
 * Applies the line's report of an utterance to the waiting controls. Returns the controls that are due now and those
 * that keep waiting. Controls after a stopped utterance are dropped.
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
