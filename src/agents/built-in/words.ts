/** Vocabulary of the built-in agent in one language: its own sentences and the phrases that it understands. */
export type Words = {
  /** Opening of an outbound call, up to the task. */
  opening: string;
  /** Words that introduce the task. */
  taskFollows: string;
  /** Question for an answer to the task. */
  askAboutTask: string;
  /** Sentence in place of a missing task. */
  askInGeneral: string;
  /** Question for a message, if the greeting of an inbound call was not enough. */
  askForMessage: string;
  askAgain: string;
  askForMore: string;
  /** Words that introduce numbers, dates and times that are read back. */
  confirm: string;
  /** End of a read-back. */
  isThatRight: string;
  /** Words that introduce the caller's own words. */
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
  /** Sentence before a transfer. */
  connecting: string;
  /** Sentence after a refused hang-up. */
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
  /** Global expression for numbers, dates and times that are read back. */
  details: RegExp;
};

export type Meaning =
  | 'goodbye'
  | 'wait'
  | 'repeat'
  | 'thanks'
  | 'no'
  | 'question'
  | 'greeting'
  /** Words that invite the agent to speak. */
  | 'invitation'
  | 'agreed'
  | 'yes';
