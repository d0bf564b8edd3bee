/** A call in a terminal: one row per sentence or event, and a status line below. */
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import type { CallNews } from '#src/client/client.ts';
import { isHangUpAtOnce, whyEnded } from '#src/console/call/why-ended.ts';
import type { Clock } from '#src/domain/clock.ts';
import { terminalLine } from '#src/domain/terminal-text.ts';
import type { CallView, EndedCall } from './call-view.ts';
import { summaryOf, delayOf } from './reply-delays.ts';
import type { Words } from './words.ts';
import { z } from 'zod';
import type { CallEvent } from '#src/client/schema.ts';

/** One event of a call: a spoken sentence or another event. */
type CallRow = {
  /** Seconds since the answer; null before the answer. */
  atSec: number | null;
  /** Speaker; null for other events. */
  speaker: 'assistant' | 'user' | null;
  text: string;
  /** Seconds that the other party waited for this reply. */
  delaySec: number | null;
};

const spoken = z.object({ role: z.enum(['assistant', 'user']), text: z.string(), whole: z.boolean() });
const summarized = z.object({ summary: z.string() });

/**
 * Details of an event that are shown: DTMF digits, the failure of a reply, the result of answer detection, the target
 * of a transfer.
 */
const detail = z.union([
  z.object({ keys: z.string() }).transform(({ keys }) => keys),
  z.object({ digit: z.string() }).transform(({ digit }) => digit),
  z.object({ failure: z.string() }).transform(({ failure }) => failure.replaceAll('_', ' ')),
  z.object({ by: z.string() }).transform(({ by }) => by),
  z.object({ to: z.string() }).transform(({ to }) => to),
]);

/** Reason for a failed transfer. */
const failedTransfer = z.object({ reason: z.string() });

/** Events without a row: the end and the recording are shown separately. */
const untold = new Set(['call.ended', 'recording.completed']);

const isNamed = <Names extends object>(names: Names, name: string): name is string & keyof Names =>
  Object.hasOwn(names, name);

/** Returns speaker and text of a sentence, with a mark at the point where it was interrupted. */
const wordsOf = (data: CallEvent['data']): Pick<CallRow, 'speaker' | 'text'> | undefined => {
  const said = spoken.safeParse(data).data;
  return said && { speaker: said.role, text: said.whole ? said.text : `${said.text} –` };
};

const reasonOf = (data: CallEvent['data'], { one }: Words['calls']): string | undefined => {
  const reason = failedTransfer.safeParse(data).data?.reason;
  if (reason === undefined) return undefined;
  return isNamed(one.transferReason, reason) ? one.transferReason[reason] : reason;
};

const happening = ({ type, data }: CallEvent, { calls }: Words): Pick<CallRow, 'speaker' | 'text'> => {
  const names = calls.one.fact;
  const name = isNamed(names, type) ? names[type] : type;
  const more =
    summarized.safeParse(data).data?.summary ?? reasonOf(data, calls) ?? detail.safeParse(data).data;
  return { speaker: null, text: more === undefined ? name : `${name}: ${more}` };
};

/** Returns the row of an event; `undefined` for events that are not shown. */
const rowOf = (event: CallEvent, words: Words): CallRow | undefined => {
  if (untold.has(event.type)) return undefined;
  const said = event.type === 'turn.spoken' ? wordsOf(event.data) : undefined;
  return {
    atSec: event.t_offset_sec,
    ...(said ?? happening(event, words)),
    delaySec: delayOf(event.data),
  };
};

export type Style = 'bold' | 'dim' | 'cyan' | 'green' | 'red';

export type TerminalViewOptions = {
  write: (text: string) => void;
  /** Width of the terminal. Null for outputs that cannot be rewritten, such as files, which have no status line. */
  columns: () => number | null;
  /** Styles the text; returns it unchanged for outputs without colours. */
  style: (style: Style, text: string) => string;
  words: Words;
  /** URL of this call in the console. */
  linkOf: (callId: string) => string;
  /** Whether the gateway and its console end with this program. */
  isPassing: boolean;
  clock: Clock;
};

const tickMs = 1_000;
const timeWidth = 6;
const usualColumns = 100;
const leastTextWidth = 20;

/** Escape sequence that returns to the beginning of the line and clears it (ECMA-48, EL). */
const emptyLine = '\r\u001B[K';

const secondsOf = (seconds: number): string => seconds.toFixed(1);

const clockTime = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
};

const padded = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - stringWidth(text)));

/** Returns the innermost current states of the charts. */
const placeOf = ({ call, conversation, voicemail }: Extract<CallNews, { type: 'state' }>['state']): string =>
  terminalLine([call, conversation, voicemail].filter((place) => place !== null).join('  '));

/** Status line that is rewritten at each change. */
const createStatusLine = ({ write, columns, style }: TerminalViewOptions) => {
  let shown = false;
  return {
    show(text: string) {
      const width = columns();
      if (width === null) return;
      const [first = ''] = wrapAnsi(text, width - 1, { hard: true, trim: false }).split('\n');
      write(`${emptyLine}${style('dim', first)}`);
      shown = true;
    },
    hide() {
      if (shown) write(emptyLine);
      shown = false;
    },
  };
};

export const createTerminalView = (options: TerminalViewOptions): CallView => {
  const { write, columns, style, words, linkOf, isPassing, clock } = options;
  const { calls } = words;
  const statusLine = createStatusLine(options);
  const speakerWidth = Math.max(...Object.values(calls.one.speaker).map((name) => stringWidth(name)));
  const delays: number[] = [];
  let since = clock.now();
  let place: string = calls.status.ringing;
  let wasAtOnce = false;
  let timer: unknown;

  const elapsed = (): string => clockTime((clock.now() - since) / 1_000).padStart(timeWidth);

  const showPlace = (): void => statusLine.show(`${elapsed()}  ${place}`);

  const line = (text: string): void => {
    statusLine.hide();
    write(`${text}\n`);
  };

  const tick = (): void => {
    showPlace();
    timer = clock.setTimeout(tick, tickMs);
  };

  /** Prints a row; the second and later lines of long text are indented to the beginning of the text. */
  const row = ({ atSec, speaker, text, delaySec }: CallRow): void => {
    const time = (atSec === null ? '' : clockTime(atSec)).padStart(timeWidth);
    const name = speaker === null ? '' : calls.one.speaker[speaker];
    const indent = timeWidth + speakerWidth + 4;
    const delay = delaySec === null ? '' : ` (${secondsOf(delaySec)} s)`;
    const width = Math.max(leastTextWidth, (columns() ?? usualColumns) - indent);
    const [first = '', ...others] = wrapAnsi(terminalLine(text) + delay, width, { hard: true }).split('\n');
    const colour = speaker === 'assistant' ? 'cyan' : 'green';
    const shownText = (part: string): string => (speaker === null ? style('dim', part) : part);
    line(`${style('dim', time)}  ${style(colour, padded(name, speakerWidth))}  ${shownText(first)}`);
    for (const part of others) line(`${' '.repeat(indent)}${shownText(part)}`);
  };

  const close = (): void => {
    clock.clearTimeout(timer);
    statusLine.hide();
  };

  return {
    say: (text) => line(style('dim', terminalLine(text))),
    begins({ callId, to, from }) {
      line(style('bold', words.calling(to, from)));
      if (!isPassing) line(style('dim', words.watch(linkOf(callId))));
      line(`${style('dim', words.howToEnd)}\n`);
      since = clock.now();
      tick();
    },
    news(news) {
      if (news.type === 'state') {
        place = placeOf(news.state);
      } else {
        if (news.event.type === 'call.answered') since = clock.now();
        if (isHangUpAtOnce(news.event)) wasAtOnce = true;
        const shown = rowOf(news.event, words);
        if (shown !== undefined) row(shown);
        if (shown?.delaySec != null) delays.push(shown.delaySec);
      }
      showPlace();
    },
    ends({ call_id, status, end_reason, duration_sec }: EndedCall) {
      close();
      const why = whyEnded({ end_reason }, wasAtOnce, calls) ?? calls.status[status];
      const lasted =
        duration_sec === null || duration_sec === 0 ? '' : ` ${words.lasted(secondsOf(duration_sec))}`;
      line(`\n${style('bold', style(status === 'completed' ? 'green' : 'red', why))}${lasted}`);
      const waited = summaryOf(delays);
      if (waited !== null) line(words.replies(secondsOf(waited.median), secondsOf(waited.longest)));
      const link = linkOf(call_id);
      line(style('dim', isPassing ? words.recordingLater(link) : words.recording(link)));
    },
    close,
  };
};
