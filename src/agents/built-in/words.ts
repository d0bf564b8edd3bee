/** The words of the built-in agent in one language: those that it says and those that it understands. */
export type Words = {
  /** The outbound opening, up to the task. */
  opening: string;
  /** Leads over to the task. */
  taskFollows: string;
  /** Asks for an answer to the task. */
  askAboutTask: string;
  /** Instead of a task, where there is none. */
  askInGeneral: string;
  /** Asks an inbound caller for the message, when the greeting was not enough. */
  askForMessage: string;
  askAgain: string;
  askForMore: string;
  /** Leads over to numbers, dates and times that are read back. */
  confirm: string;
  /** Ends whatever is read back. */
  isThatRight: string;
  /** Leads over to the caller's own words. */
  messageFollows: string;
  repeatFollows: string;
  waiting: string;
  goOn: string;
  /** A question that it cannot answer. */
  cannotAnswer: string;
  noted: string;
  willPassOn: string;
  willPassOnRefusal: string;
  youAreWelcome: string;
  thanks: string;
  goodbye: string;
  /** Before a transfer. */
  connecting: string;
  /** The hangup was refused. */
  stillHere: string;
  /** Ends a task that was written without a mark at its end. */
  fullStop: string;
  /** Between sentences. */
  space: string;
  /** Between numbers, dates and times that are read back. */
  listSeparator: string;
  /** Characters, spaces not counted: a caller's message is longer than this, an answer is not. */
  longestAnswer: number;
  /** Tried in this order; the first that matches says what was meant. */
  meanings: readonly (readonly [Meaning, RegExp])[];
  /** Numbers, dates and times, each worth a confirmation. Global. */
  details: RegExp;
};

export type Meaning =
  | 'goodbye'
  | 'wait'
  | 'repeat'
  | 'thanks'
  | 'no'
  | 'question'
  /** Or anything else that only says: go on, I am listening. */
  | 'greeting'
  | 'agreed'
  | 'yes';
