/** Vocabulary of the built-in agent in one language: its own sentences and the phrases that it understands. */
export type Words = {
  /** The outbound opening, up to the task. */
  opening: string;
  /** Introduces the task. */
  taskFollows: string;
  /** Asks for an answer to the task. */
  askAboutTask: string;
  /** Replaces the task if there is none. */
  askInGeneral: string;
  /** Asks an inbound caller for a message if the greeting did not suffice. */
  askForMessage: string;
  askAgain: string;
  askForMore: string;
  /** Introduces numbers, dates and times that are read back. */
  confirm: string;
  /** Ends a read-back. */
  isThatRight: string;
  /** Introduces the caller's own words. */
  messageFollows: string;
  repeatFollows: string;
  waiting: string;
  goOn: string;
  /** Reply to a question that the agent cannot answer. */
  cannotAnswer: string;
  noted: string;
  willPassOn: string;
  willPassOnRefusal: string;
  youAreWelcome: string;
  thanks: string;
  goodbye: string;
  /** Said before a transfer. */
  connecting: string;
  /** Said after a refused hangup. */
  stillHere: string;
  /** Punctuation for a task without a mark at its end. */
  fullStop: string;
  /** Separator between sentences. */
  space: string;
  /** Separator between numbers, dates and times that are read back. */
  listSeparator: string;
  /** Number of characters without spaces above which an utterance is a message instead of an answer. */
  longestAnswer: number;
  /** Patterns by kind of utterance, in the order in which they are tried; the first match decides. */
  meanings: readonly (readonly [Meaning, RegExp])[];
  /** Matches numbers, dates and times to read back. Global. */
  details: RegExp;
};

export type Meaning =
  | 'goodbye'
  | 'wait'
  | 'repeat'
  | 'thanks'
  | 'no'
  | 'question'
  /** A greeting, or an acknowledgement that invites the agent to continue. */
  | 'greeting'
  | 'agreed'
  | 'yes';
